print("storytty")
