// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP

/// One process of the person: in each round all its tasks ask the server who they are.
struct SoakWorker {
    /// The store of all processes; the folder is `$LATCH_HOME`.
    static var store: KeychainTokenStore { KeychainTokenStore(service: "soak", account: "ada") }

    private let clock = ShiftedClock()
    private let auth: AuthClient
    private let gate: Client
    private let tasks: Int

    init(url: String, tasks: Int) throws {
        guard let url = URL(string: url) else { throw HTTPError.invalidURL }
        auth = AuthClient(baseURL: url, store: Self.store, clock: clock.wallClock)
        gate = Client(baseURL: url, timeout: .seconds(3600))
        self.tasks = tasks
    }

    /// Plays round after round, says after each how many requests failed, and ends when the server does.
    func run() async throws {
        var last = 0
        while let round = try? await nextRound(after: last) {
            last = round.number
            clock.seconds = round.offset
            let failures = await storm(in: round.number)
            FileHandle.standardOutput.write(Data("\(round.number) \(failures)\n".utf8))
        }
    }

    private func nextRound(after number: Int) async throws -> Gate.Round {
        let answer = try await gate.respond(to: gate.request(.get, "gate/\(number)"))
        let body = try JSONValue(parsing: answer.body.bytes)
        return Gate.Round(number: body["number"]?.intValue ?? 0, offset: body["offset"]?.intValue ?? 0)
    }

    /// All tasks at once; says how many of their requests failed.
    private func storm(in round: Int) async -> Int {
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<tasks { group.addTask { await ask(in: round) } }
            return await group.reduce(0, +)
        }
    }

    private func ask(in round: Int) async -> Int {
        do {
            return try await auth.profile().email == "ada@example.com" ? 0 : 1
        } catch {
            FileHandle.standardError.write(Data("round \(round): \(error)\n".utf8))
            return 1
        }
    }
}
