// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CSpawn
import Glibc

extension SpawnTerms {
    /// Nothing to do before the program runs.
    static func newActions() -> posix_spawn_file_actions_t { posix_spawn_file_actions_t() }

    /// Nothing unlike this process.
    static func newAttributes() -> posix_spawnattr_t { posix_spawnattr_t() }

    /// A pipe whose ends no process inherits.
    static func pipe(_ ends: inout [Int32]) -> Int32 { pipe2(&ends, O_CLOEXEC) }

    /// The child keeps its three streams: what others here opened without a flag is not for it.
    mutating func closeAllButStreams() -> Int32 { posix_spawn_file_actions_addclosefrom_np(&actions, 3) }

    /// The program runs in this folder.
    mutating func change(to folder: String) -> Int32 { posix_spawn_file_actions_addchdir_np(&actions, folder) }
}

#endif
