// Filled by the room of this name.
