"""How close each choice of tool was: scorers, scoring, margins, calibration, catalogues, labels."""
