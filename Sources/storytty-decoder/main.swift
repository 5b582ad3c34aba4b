import Decoding
import System

DecoderProgram.run(Arguments.all)
