def first_units(text: str, count: int) -> str:
    return text.encode("utf-16-le", "surrogatepass")[: 2 * count].decode(
        "utf-16-le", "surrogatepass"
    )
