// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import SessionHistories

/// A client of an account: it sends one request after the other, each to any of the servers.
struct HistoryClient {
    /// A response, or what is known without one.
    private enum Answer {
        case response(Int, JSONValue)
        /// The request was sent, and no answer came.
        case lost
        /// No connection was made.
        case unsent
    }

    let number: Int
    let email: String
    let nodes: [ServerNode]
    let recorder: HistoryRecorder
    let transport: any Handler
    var random: SplitMix64
    /// The time after which a request has no answer.
    var requestTimeout = Duration.seconds(2)
    /// Whether no request is cut off.
    private var isPatient = false

    /// The passwords that the account may have: a change without an answer leaves two.
    static let passwords = ["Secret123!", "Secret456!"]

    /// The time in which each server must serve again once the faults have ended.
    static let recoveryLimit = Duration.seconds(30)

    init(
        number: Int, email: String, nodes: [ServerNode], recorder: HistoryRecorder, transport: any Handler,
        random: SplitMix64
    ) {
        self.number = number
        self.email = email
        self.nodes = nodes
        self.recorder = recorder
        self.transport = transport
        self.random = random
    }

    /// Sends random requests.
    mutating func play(_ count: Int) async throws {
        for _ in 0..<count {
            let families = recorder.families
            guard !families.isEmpty, random.below(10) > 0 else {
                try await signIn()
                continue
            }
            let family = families.count - 1 - random.below(min(3, families.count))
            switch random.below(40) {
            case 0: try await signOut(family, families[family])
            case 1: try await signOutEverywhere(family, families[family])
            case 2: try await changePassword(family, families[family])
            case 3: try await signUp()
            case 4..<14: try await read(family, families[family])
            default: try await refresh(family, families[family], age: random.pick([0, 0, 0, 0, 0, 0, 1, 1, 1, 2]))
            }
        }
    }

    /// Reads and refreshes once more in every family, so that a lost effect shows.
    mutating func settle() async throws {
        for (index, family) in recorder.families.enumerated() {
            try await read(index, family)
            try await refresh(index, family, age: 0)
        }
    }

    /// Signs out at one server once all have read the sessions, and reads at all a second later: it is the longest for which a
    /// change of another server may not be seen (Decision 0094).
    mutating func signOutAndReadLater() async throws {
        isPatient = true
        let count = recorder.families.count
        // The account has one of two passwords.
        for _ in 0..<20 where recorder.families.count < count + 2 { try await signIn() }
        try await readEverywhere()
        let families = recorder.families
        let (last, family) = (families.count - 1, families[families.count - 1])
        switch random.below(3) {
        case 0: try await signOut(last, family)
        case 1: try await signOutEverywhere(last, family)
        default:
            try await changePassword(last, family)
            try await signOut(last, family)
        }
        try await Task.sleep(for: .seconds(1))
        try await readEverywhere()
    }

    /// Reads each session at each server.
    private mutating func readEverywhere() async throws {
        for node in nodes.indices {
            for (index, family) in recorder.families.enumerated() { try await read(index, family, at: node) }
        }
    }

    /// Signs in and refreshes at each server until that succeeds; returns the servers where it does not in time.
    mutating func findSilentNodes() async throws -> [Int] {
        isPatient = true
        defer { isPatient = false }
        let limit = ContinuousClock.now + Self.recoveryLimit
        var silent: [Int] = []
        for node in nodes.indices {
            var isServing = try await isServing(node)
            while !isServing, ContinuousClock.now < limit {
                try await Task.sleep(for: .milliseconds(50))
                isServing = try await self.isServing(node)
            }
            if !isServing { silent.append(node) }
        }
        return silent
    }

    private mutating func isServing(_ node: Int) async throws -> Bool {
        guard case .response(200, _) = try await send("readyz", nil, to: node) else { return false }
        let count = recorder.families.count
        for password in Self.passwords where recorder.families.count == count {
            try await signIn(at: node, password)
        }
        let families = recorder.families
        guard families.count > count else { return false }
        return try await refresh(families.count - 1, families[families.count - 1], age: 0, at: node)
    }

    /// Returns the passwords with which the account can sign in; nil where no server says it in time.
    mutating func acceptedPasswords() async throws -> Set<String>? {
        isPatient = true
        var accepted: Set<String> = []
        let limit = ContinuousClock.now + Self.recoveryLimit
        for password in Self.passwords {
            var status = 0
            while status != 200, status != 401 {
                guard ContinuousClock.now < limit else { return nil }
                let body: JSONObject = ["email": .string(email), "password": .string(password)]
                guard case .response(let number, _) = try await send("auth/login", body, to: random.below(nodes.count))
                else { continue }
                status = number
            }
            if status == 200 { accepted.insert(password) }
        }
        return accepted
    }

    /// Creates another account, which no client uses before the end.
    private mutating func signUp() async throws {
        let email = "eve\(number).\(UUID().uuidString)@example.com"
        let body: JSONObject = ["email": .string(email), "password": .string(Self.passwords[0])]
        let answer = try await send("auth/signup", body, to: random.below(nodes.count))
        guard case .response(201, _) = answer else { return }
        recorder.record(AcknowledgedAccount(email: email, passwords: [Self.passwords[0]]))
    }

    mutating func signIn() async throws {
        let node = random.below(nodes.count)
        try await signIn(at: node, random.pick(Self.passwords))
    }

    private mutating func signIn(at node: Int, _ password: String) async throws {
        let start = recorder.now
        let answer = try await send("auth/login", ["email": .string(email), "password": .string(password)], to: node)
        guard case .response(200, let body) = answer else { return }
        let (refresh, access) = try tokens(body)
        let (end, number) = (recorder.now, number)
        try recorder.signIn(refresh, access: access) {
            FamilyOperation(.signIn, $0, from: start, to: end, client: number, node: node)
        }
    }

    private mutating func refresh(_ index: Int, _ family: HistoryRecorder.Family, age: Int) async throws {
        _ = try await refresh(index, family, age: age, at: random.below(nodes.count))
    }

    /// Returns whether tokens were issued.
    private mutating func refresh(
        _ index: Int, _ family: HistoryRecorder.Family, age: Int, at node: Int
    ) async throws -> Bool {
        let newest = family.texts.keys.max() ?? 0
        let generation = max(0, newest - age)
        let texts = family.texts[generation] ?? []
        let text = random.below(max(1, texts.count))
        guard texts.indices.contains(text) else { return false }
        let key = random.pick([nil, "a\(generation)", "\(number).\(recorder.invocations)"])
        let start = recorder.now
        let fields: HTTPFields = key.map { ["Idempotency-Key": $0] } ?? [:]
        let answer = try await send("auth/refresh", ["refreshToken": .string(texts[text])], fields, to: node)
        let action = FamilyOperation.Action.refresh(IssuedToken(generation: generation, text: text), key: key)
        guard case .response(200, let body) = answer else {
            record(action, answer, start, node, index)
            return false
        }
        let (refresh, access) = try tokens(body)
        let issued = try recorder.issued(refresh, access: access, to: index)
        recorder.record(operation(action, .issued(issued), start, node), of: index)
        return true
    }

    private mutating func read(_ index: Int, _ family: HistoryRecorder.Family) async throws {
        try await read(index, family, at: random.below(nodes.count))
    }

    private mutating func read(_ index: Int, _ family: HistoryRecorder.Family, at node: Int) async throws {
        let start = recorder.now
        let answer = try await send("user/profile", nil, bearer(family), to: node)
        record(.read, answer, start, node, index)
    }

    private mutating func signOut(_ index: Int, _ family: HistoryRecorder.Family) async throws {
        let (start, node) = (recorder.now, random.below(nodes.count))
        let token = family.texts[family.texts.keys.max() ?? 0]?.first ?? ""
        let answer = try await send("auth/logout", ["refreshToken": .string(token)], to: node)
        record(.signOut, answer, start, node, index)
    }

    private mutating func signOutEverywhere(_ index: Int, _ family: HistoryRecorder.Family) async throws {
        let (start, node) = (recorder.now, random.below(nodes.count))
        let answer = try await send("auth/logout", ["allDevices": true], bearer(family), to: node)
        record(.signOutEverywhere, answer, start, node, index)
        recordEffect(.signOutEverywhere, answer, start, node, index)
    }

    private mutating func changePassword(_ index: Int, _ family: HistoryRecorder.Family) async throws {
        let (start, node) = (recorder.now, random.below(nodes.count))
        let passwords = Self.passwords.shuffled(using: &random)
        let body: JSONObject = [
            "currentPassword": .string(passwords[0]), "newPassword": .string(passwords[1]),
            "logoutOtherSessions": true,
        ]
        let answer = try await send("userservice.v1.UserService/ChangePassword", body, bearer(family), to: node)
        // It leaves its own family signed in, and so is a read of it.
        record(.read, answer, start, node, index)
        recordEffect(.changePassword, answer, start, node, index)
        guard let outcome = outcome(answer), outcome != .refused else { return }
        let end = outcome == .unknown ? nil : recorder.now
        recorder.record(PasswordChange(password: passwords[1], start: start, end: end))
    }

    // MARK: Records

    /// Records an operation on the family of its token.
    private func record(
        _ action: FamilyOperation.Action, _ answer: Answer, _ start: Duration, _ node: Int, _ family: Int
    ) {
        guard let outcome = outcome(answer) else { return }
        recorder.record(operation(action, outcome, start, node), of: family)
    }

    /// Records what an operation does to the other families, unless it was refused.
    private func recordEffect(
        _ action: FamilyOperation.Action, _ answer: Answer, _ start: Duration, _ node: Int, _ family: Int
    ) {
        guard let outcome = outcome(answer), outcome != .refused else {
            return recorder.note("client \(number), node \(node), \(action) of family \(family): \(answer)")
        }
        recorder.recordEverywhere(operation(action, outcome, start, node), by: family)
    }

    /// Returns what an answer says of a token; nil if nothing.
    private func outcome(_ answer: Answer) -> FamilyOperation.Outcome? {
        switch answer {
        case .response(200, _): .accepted
        case .response(401, _): .refused
        // A wrong password, or a limit: nothing has happened.
        case .response(400..<500, _), .unsent: nil
        case .response, .lost: .unknown
        }
    }

    private func operation(
        _ action: FamilyOperation.Action, _ outcome: FamilyOperation.Outcome, _ start: Duration, _ node: Int
    ) -> FamilyOperation {
        FamilyOperation(action, outcome, from: start, to: recorder.now, client: number, node: node)
    }

    // MARK: Requests

    private func bearer(_ family: HistoryRecorder.Family) -> HTTPFields {
        ["Authorization": "Bearer \(family.access)"]
    }

    private func tokens(_ body: JSONValue) throws -> (refresh: String, access: String) {
        guard let refresh = body["refreshToken"]?.stringValue, let access = body["accessToken"]?.stringValue else {
            throw HistoryRecorder.MalformedToken()
        }
        return (refresh, access)
    }

    /// Sends a request, some of which are cut off within milliseconds.
    private mutating func send(
        _ path: String, _ body: JSONObject?, _ fields: HTTPFields = [:], to node: Int
    ) async throws -> Answer {
        recorder.invoke()
        var request = try HTTPRequest(
            method: body == nil ? .get : .post, url: nodes[node].url.appending(path: path), fields: fields,
            body: body.map { HTTPBody(JSONValue.object($0).serialized()) } ?? .empty)
        if body != nil { request.fields["Content-Type"] = "application/json" }
        request.timeout = requestTimeout
        let (transport, sent) = (transport, request)
        let exchange = Task { try await transport.respond(to: sent) }
        var cut: Task<Void, any Error>?
        if !isPatient, random.below(12) == 0 {
            let time = Duration.microseconds(random.below(8_000))
            cut = Task {
                try await Task.sleep(for: time)
                exchange.cancel()
            }
        }
        defer { cut?.cancel() }
        do {
            let response = try await exchange.value
            let content = response.body.bytes
            let json = content.isEmpty ? JSONValue.null : try JSONValue(parsing: content)
            return .response(response.status.rawValue, json)
        } catch let error as HTTPError {
            return error.isUnsent ? .unsent : .lost
        }
    }
}
