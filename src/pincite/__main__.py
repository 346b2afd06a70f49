"""`python -m pincite` and the `pincite` command."""


def main() -> None:
    """Run the command line."""
    from pincite.cli.main import run

    run()


if __name__ == "__main__":
    main()
