// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore

/// Lets many real processes share one account at the real server, through expiries and through kills.
///
///     soak-session expiries [PROCESSES TASKS EXPIRIES]    16 50 200 unless given
///     soak-session kills [PROCESSES TASKS KILLS]          4 8 500 unless given
///
/// Exit code 0: each expiry was refreshed once for all of them, no request failed and nobody was signed out.
@main struct SoakSession {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let numbers = arguments.dropFirst().compactMap(Int.init)
        switch arguments.first {
        case "worker": return try await SoakWorker(url: arguments[1], tasks: Int(arguments[2]) ?? 1).run()
        case "expiries": try await run(numbers.isEmpty ? [16, 50, 200] : numbers, ExpiryStorm.play)
        case "kills": try await run(numbers.isEmpty ? [4, 8, 500] : numbers, RandomKills.play)
        default: refuse()
        }
    }

    /// Plays in a folder and with a server of its own, and prints the verdict.
    private static func run(
        _ numbers: [Int], _ play: (SoakServer, _ processes: Int, _ tasks: Int, _ count: Int) async throws -> Verdict
    ) async throws {
        guard numbers.count == 3, numbers.allSatisfy({ $0 > 0 }) else { refuse() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        setenv("LATCH_HOME", folder, 1)
        let server = try await SoakServer.start(in: folder)
        let verdict = try await play(server, numbers[0], numbers[1], numbers[2])
        await server.stop()
        print(verdict.text)
        // What went wrong stands in the folder, in the workers' own words.
        if verdict.holds { try FileManager.default.removeItem(atPath: folder) } else { print("see \(folder)/errors") }
        exit(verdict.holds ? 0 : 1)
    }

    private static func refuse() -> Never {
        FileHandle.standardError.write(Data("usage: soak-session expiries|kills [PROCESSES TASKS COUNT]\n".utf8))
        exit(2)
    }
}

/// The result of a soak, and whether it is the expected one.
struct Verdict {
    let text: String
    let holds: Bool
}
