// SPDX-License-Identifier: Apache-2.0

import LatchCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The file actions and attributes of a new process: an empty input, an output, a working directory, default signals.
///
/// It uses posix_spawn instead of fork, since this process has threads.
struct SpawnConfiguration: ~Copyable {
    /// The actions on the child's descriptors.
    var actions = SpawnConfiguration.newActions()
    /// The signal attributes.
    private var attributes = SpawnConfiguration.newAttributes()
    /// The attributes that apply.
    var flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)

    /// Creates the configuration.
    ///
    /// - Throws: `FileError` if memory is exhausted.
    init(
        output: Int32, errors: ChildProcess.ErrorOutput, folder: String?, isDetached: Bool
    ) throws(FileError) {
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        var results = [
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
            isDetached
                ? posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
                : posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO),
        ]
        // A separate group, which the terminal's Ctrl-C does not reach.
        if isDetached { flags |= Int16(POSIX_SPAWN_SETPGROUP) }
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
            throw FileError("posix_spawn_file_actions", folder ?? "", number: number)
        }
    }

    deinit {
        var (actions, attributes) = (actions, attributes)
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }

    /// Resets the signal mask and SIGPIPE, which the child would inherit.
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
    /// - Returns: The error number; 0 on success.
    mutating func start(
        _ id: inout pid_t, _ program: String, _ arguments: [String], _ environment: [String]
    ) -> Int32 {
        let texts = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in texts + variables { free(text) } }
        Self.takePriorityOfProcess()
        return posix_spawn(&id, program, &actions, &attributes, texts, variables)
    }

    /// Gives the calling thread the priority of its process, so that a new process has it from its first instruction.
    ///
    /// On Linux a process inherits the priority of the thread that starts it, and Dispatch's threads have 0.
    private static func takePriorityOfProcess() {
        // PRIO_PROCESS, which has different types in the C libraries; 0 is the calling thread on Linux.
        let process: Int32 = 0
        let priority = getpriority(process, id_t(getpid()))
        if priority > 0 { _ = setpriority(process, 0, priority) }
    }
}
