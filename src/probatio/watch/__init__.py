"""Reading days: baseline, rule, evidence, attribution, ledger, simulation, alerts. The core is pure."""
