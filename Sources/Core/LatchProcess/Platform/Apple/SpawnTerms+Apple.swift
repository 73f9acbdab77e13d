// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

import Darwin

extension SpawnTerms {
    /// Nothing to do before the program runs.
    static func newActions() -> posix_spawn_file_actions_t? { nil }

    /// Nothing unlike this process.
    static func newAttributes() -> posix_spawnattr_t? { nil }

    /// A pipe; what has no flag yet is not inherited either, see `closeAllButStreams()`.
    static func pipe(_ ends: inout [Int32]) -> Int32 { Darwin.pipe(&ends) }

    /// The child keeps its three streams: what others here opened without a flag is not for it.
    mutating func closeAllButStreams() -> Int32 {
        flags |= Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)
        return 0
    }

    /// The program runs in this folder.
    mutating func change(to folder: String) -> Int32 { posix_spawn_file_actions_addchdir_np(&actions, folder) }
}

#endif
