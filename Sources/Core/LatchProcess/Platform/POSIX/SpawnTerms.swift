// SPDX-License-Identifier: Apache-2.0

package import LatchCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// What a new process has of ours before its program runs: an empty input, an output, its folder, and no more.
///
/// posix_spawn and not fork, since this process has threads.
struct SpawnTerms: ~Copyable {
    /// What is done to the child's files.
    var actions = SpawnTerms.newActions()
    /// Its signals.
    private var attributes = SpawnTerms.newAttributes()
    /// Which of the attributes count.
    var flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)

    /// - Throws: `FileFailure` where there is no memory.
    init(output: Int32, errors: ChildProcess.ErrorOutput, folder: String?) throws(FileFailure) {
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        var results = [
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO),
        ]
        switch errors {
        case .discarded:
            results.append(posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0))
        case .joined:
            results.append(posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO))
        case .file(let path):
            let flags = O_WRONLY | O_CREAT | O_APPEND
            results.append(posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, path, flags, 0o600))
        }
        results.append(closeAllButStreams())
        if let folder { results.append(change(to: folder)) }
        results.append(setSignals())
        if let number = results.first(where: { $0 != 0 }) {
            throw FileFailure("posix_spawn_file_actions", folder ?? "", number: number)
        }
    }

    deinit {
        var (actions, attributes) = (actions, attributes)
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }

    /// Our blocked signals would be blocked in the child too, and an ignored SIGPIPE would be ignored.
    private mutating func setSignals() -> Int32 {
        var (blocked, restored) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigemptyset(&restored)
        sigaddset(&restored, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setsigdefault(&attributes, &restored)
        return posix_spawnattr_setflags(&attributes, flags)
    }

    /// Starts the program.
    ///
    /// - Returns: The system's number of the failure; 0 when the process runs.
    mutating func start(
        _ id: inout pid_t, _ program: String, _ arguments: [String], _ environment: [String]
    ) -> Int32 {
        let texts = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in texts + variables { free(text) } }
        return posix_spawn(&id, program, &actions, &attributes, texts, variables)
    }
}
