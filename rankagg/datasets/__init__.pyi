from .catalogue import DatasetInfo as DatasetInfo
from .catalogue import info as info
from .catalogue import load as load
from .catalogue import names as names
