"""The engine of a service: live store, predictors, versions, and the queries over them."""
