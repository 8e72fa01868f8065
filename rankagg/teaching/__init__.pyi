from .show import show_steps as show_steps
from .steps import Step as Step
from .steps import Steps as Steps
