"""`python -m tlogic` is the command `tlogic`."""

from tlogic.cli import main

if __name__ == "__main__":
    main()
