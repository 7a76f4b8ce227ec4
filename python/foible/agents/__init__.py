"""Players: agents, teams of agents, and how they are described in configurations."""
