import Decoding

DecoderProgram.run(Array(CommandLine.arguments.dropFirst()))
