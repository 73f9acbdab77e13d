// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore

/// Lets many real processes share one account at the real server, through whatever may happen to processes, disks,
/// issuers and resources.
///
///     soak-session expiries [PROCESSES TASKS EXPIRIES]    16 50 200 unless given
///     soak-session kills [PROCESSES TASKS KILLS]          4 8 500
///     soak-session stopped [PROCESSES TASKS SECONDS]      4 8 30: the lock's holder is stopped three times
///     soak-session inside [PROCESSES TASKS SECONDS]       4 8 12: a process is stopped inside of the store
///     soak-session full [PROCESSES TASKS TIMES]           4 8 2: a full disk (needs mount)
///     soak-session readonly [PROCESSES TASKS TIMES]       2 8 2: a read-only home (needs mount)
///     soak-session hung [PROCESSES TASKS SECONDS]         4 8 12: an issuer that hangs in three ways
///     soak-session refused [PROCESSES TASKS SECONDS]      4 8 40: a resource that refuses every token
///
/// It prints its figures, and each rule that was broken. Exit code 0: none was.
@main struct SoakSession {
    /// A soak: its numbers unless others are given, and what it plays.
    private struct Mode {
        let numbers: [Int]
        var mounts = Mounts.Need.none
        let play: @Sendable (Crew, _ processes: Int, _ tasks: Int, _ count: Int) async throws -> Verdict
    }

    private static let modes: [String: Mode] = [
        "expiries": Mode(numbers: [16, 50, 200], play: ExpiryStorm.play),
        "kills": Mode(numbers: [4, 8, 500], play: RandomKills.play),
        "stopped": Mode(numbers: [4, 8, 30], play: StoppedHolder.play),
        "inside": Mode(numbers: [4, 8, 12], play: StoppedWriter.play),
        "full": Mode(numbers: [4, 8, 2], mounts: .disk, play: FullDisk.play),
        "readonly": Mode(numbers: [2, 8, 2], mounts: .namespace, play: ReadOnlyHome.play),
        "hung": Mode(numbers: [4, 8, 12], play: HungIssuer.play),
        "refused": Mode(numbers: [4, 8, 40], play: RefusedTokens.play),
    ]

    /// The time after which a soak that does not end has failed.
    private static let longest = Duration.seconds(1_800)

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let numbers = arguments.dropFirst().compactMap(Int.init)
        if arguments.first == "worker" {
            let limit = arguments.dropFirst(3).first.flatMap { Int($0) }.map { Duration.milliseconds($0) }
            return try await SoakWorker(url: arguments[1], tasks: Int(arguments[2]) ?? 1, limit: limit).run()
        }
        if arguments.first == "writer" { return try await SoakWorker.stopInsideOfStore() }
        guard let mode = arguments.first.flatMap({ modes[$0] }) else { refuse() }
        try await run(mode, numbers.isEmpty ? mode.numbers : numbers)
    }

    /// Plays in a folder and with a server of its own, and prints the verdict.
    private static func run(_ mode: Mode, _ numbers: [Int]) async throws {
        guard numbers.count == 3, numbers.allSatisfy({ $0 > 0 }) else { refuse() }
        if mode.mounts != .none { try Mounts.isolate() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)").path
        let home = SoakServer.home(in: folder)
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        setenv("LATCH_HOME", home, 1)
        if mode.mounts == .disk { try await Mounts.mountDisk(at: home) }
        let crew = Crew(try await SoakServer.start(in: folder))
        let watchdog = Task {
            try await Task.sleep(for: longest)
            await crew.end()
        }
        var verdict: Verdict
        do {
            verdict = try await mode.play(crew, numbers[0], numbers[1], numbers[2])
        } catch {
            verdict = Verdict(text: "not finished")
            verdict.expect(false, "\(error)")
        }
        watchdog.cancel()
        await crew.end()
        await crew.server.stop()
        if mode.mounts == .disk { try await Mounts.unmount(home) }
        print(verdict.text)
        for rule in verdict.broken { print("broken: \(rule)") }
        // What went wrong stands in the folder, in the workers' own words.
        if verdict.holds { try FileManager.default.removeItem(atPath: folder) } else { print("see \(folder)/errors") }
        exit(verdict.holds ? 0 : 1)
    }

    private static func refuse() -> Never {
        let names = modes.keys.sorted().joined(separator: "|")
        FileHandle.standardError.write(Data("usage: soak-session \(names) [PROCESSES TASKS COUNT]\n".utf8))
        exit(2)
    }
}
