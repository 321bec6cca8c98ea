"""Floor 2: the HTTP door: three public APIs, the Ask loop and the engines behind them."""
