from .replicate import Replication as Replication
from .replicate import replicate as replicate
