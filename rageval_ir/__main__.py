"""`python -m rageval_ir` is the command `rageval-ir`."""

import sys

from rageval_ir.cli import main

sys.exit(main())
