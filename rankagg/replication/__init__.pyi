from .replication import Replication as Replication
from .replication import replicate as replicate
