"""The occurrence model: the probability that an event happens within a period, with nobody having asked."""
