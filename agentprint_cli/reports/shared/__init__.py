"""What several reports share: lines, phrases and the common parts of documents."""
