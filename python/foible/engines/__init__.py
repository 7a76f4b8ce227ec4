"""External chess engines that speak UCI: their processes, what they are asked, what they answer."""
