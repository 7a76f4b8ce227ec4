"""External engines that speak UCI or GTP: their processes, what they are asked, what they answer."""
