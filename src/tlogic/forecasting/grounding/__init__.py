"""Grounding: finds the candidates of a rule, from the query's subject along the body, over the visible facts.

- ``grounding_state``: the state of one worker, and ``ground_rule``, which grounds one rule
- ``rule_plans``: rules as integers, and the method that each body is grounded by
- ``visible_facts``: the facts before a time
- ``path_search``, ``join_search``, ``subject_loops``: the methods
- ``join_cache``, ``recent_triples``: results that later queries reuse
- ``frontier``: the candidates that were found, each with its latest t_1
"""
