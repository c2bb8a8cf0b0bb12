"""The table of small programs; each module holds those of one theme."""

from .children import PROGRAMS as CHILDREN
from .ends import PROGRAMS as ENDS
from .messages import PROGRAMS as MESSAGES
from .starts import PROGRAMS as STARTS
from .streams import PROGRAMS as STREAMS

PROGRAMS = [*STARTS, *ENDS, *MESSAGES, *STREAMS, *CHILDREN]
