"""Speed and memory of tlogic, in yardsticks measured in the same run."""
