print("storytty-decoder")
