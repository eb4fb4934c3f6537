# Haskell: its package database, threads, a child, text that is not ASCII.
# run: bash haskell.sh
# needs: ghc
# limits: {memory: 4Gi, cpuTime: 100s, pids: 128, openFiles: 4096}
set -e
cat > Main.hs <<'H'
import Control.Concurrent
import System.Process
main :: IO ()
main = do
  box <- newEmptyMVar
  _ <- forkIO (putMVar box (sum [1 .. 100 :: Int]))
  total <- takeMVar box
  said <- readProcess "echo" ["größer"] ""
  putStr (said ++ show total ++ "\n")
H
ghc -v0 -threaded Main.hs -o main
[ "$(./main +RTS -N)" = "$(printf 'größer\n5050')" ]
[ "$(runghc Main.hs | tail -1)" = 5050 ]
echo ok
