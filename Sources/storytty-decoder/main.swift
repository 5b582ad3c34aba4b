import Decoding
import System

DecoderMain.run(Arguments.all)
