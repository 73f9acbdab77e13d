// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Synchronization

/// A port of 127.0.0.1 on which a test plays a PostgreSQL server that the machine does not have
/// (https://www.postgresql.org/docs/current/protocol-message-formats.html).
public final class ScriptedPostgres: Sendable {
    /// The responses of a server.
    public enum Script: Sendable {
        /// Refuses each connection with a code and a sentence, if requested after it was sent a password.
        case refusing(sqlState: String, sentence: String, afterPassword: Bool)
        /// Has a version, and knows no statement but `SET` and `SHOW`.
        case serving(version: String)
        /// Accepts the statements that begin with one of these words, and answers nothing from any other one on.
        case silent(after: Set<String>)
    }

    private struct Counts {
        var connections = 0
        var passwords = 0
    }

    private let listener: RawListener
    private let script: Script
    private let counts = Mutex(Counts())

    /// Listens; connections wait until ``run()`` takes them.
    public init(_ script: Script) throws {
        listener = try RawListener()
        self.script = script
    }

    /// The port on 127.0.0.1.
    public var port: Int { listener.port }
    /// The number of connections so far.
    public var connections: Int { counts.withLock { $0.connections } }
    /// The number of passwords so far.
    public var passwords: Int { counts.withLock { $0.passwords } }

    /// Serves until the task is cancelled.
    ///
    /// It has a thread of its own: clients have time limits, and tests that compute take the tasks' threads for seconds.
    public func run() async {
        await withTaskExecutorPreference(QueueExecutor()) {
            await withTaskGroup { group in
                while !Task.isCancelled, let peer = await listener.accept() {
                    counts.withLock { $0.connections += 1 }
                    group.addTask { await self.serve(Conversation(peer)) }
                }
            }
        }
    }

    private func serve(_ conversation: Conversation) async {
        guard await conversation.startup() else { return }
        switch script {
        case .refusing(let sqlState, let sentence, let afterPassword):
            if afterPassword {
                await conversation.send("R", [0, 0, 0, 3])
                guard await conversation.message()?.type == "p" else { return }
                counts.withLock { $0.passwords += 1 }
            }
            await conversation.sendError("FATAL", sqlState, sentence)
        case .serving(let version):
            await conversation.begin(version: version)
            while await answerStatements(conversation) {}
        case .silent(let words):
            await conversation.begin(version: "16.4")
            await accept(words, conversation)
            while await conversation.message() != nil {}
        }
    }

    /// Accepts statements, each with no row, until one begins with none of the words.
    private func accept(_ words: Set<String>, _ conversation: Conversation) async {
        // The first words of what was prepared, by name, and of what is bound.
        var prepared: [[UInt8]: String] = [:]
        var (bound, status) = ("", "I")
        while let message = await conversation.message() {
            let texts = message.content.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map(
                Array.init)
            switch message.type {
            case "S": await conversation.send("Z", Array(status.utf8))
            case "P":
                let word = String(decoding: texts[1].prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
                guard words.contains(word) else { return }
                prepared[texts[0]] = word
                await conversation.send("1")
            case "B":
                bound = prepared[texts[1]] ?? ""
                await conversation.send("2")
            case "D": await conversation.send("n")
            case "E":
                status = bound == "BEGIN" ? "T" : bound == "COMMIT" ? "I" : status
                await conversation.send("C", Array("\(bound == "INSERT" ? "INSERT 0 1" : bound)\0".utf8))
            default: return
            }
        }
    }

    /// A column's description behind its name: of no table, with the type 25.
    private static let textColumn: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]

    /// Answers the messages up to a synchronization point, and returns whether the connection goes on.
    private func answerStatements(_ conversation: Conversation) async -> Bool {
        var hasFailed = false
        while let message = await conversation.message() {
            switch message.type {
            case "S":
                await conversation.send("Z", Array("I".utf8))
                return true
            case "Q":
                // Before version 14 libpq selects whether the server is a standby: a text in one row.
                await conversation.send("T", [0, 1] + Array("transaction_read_only\0".utf8) + Self.textColumn)
                await conversation.send("D", [0, 1, 0, 0, 0, 3] + Array("off".utf8))
                await conversation.send("C", Array("SHOW\0".utf8))
                await conversation.send("Z", Array("I".utf8))
            case _ where hasFailed: continue
            case "P":
                let sql = message.content.drop { $0 != 0 }.dropFirst()
                hasFailed = !sql.starts(with: "SET ".utf8)
                if hasFailed {
                    await conversation.sendError("ERROR", "42601", "syntax error")
                } else {
                    await conversation.send("1")
                }
            case "B": await conversation.send("2")
            case "D": await conversation.send("n")
            case "E": await conversation.send("C", Array("SET\0".utf8))
            default: return false
            }
        }
        return false
    }
}

/// An executor whose tasks run on a queue, and not on the threads of all others.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "latch.scripted-postgres")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The messages of one connection.
private actor Conversation {
    private let peer: RawClient
    private var bytes: [UInt8] = []

    init(_ peer: RawClient) { self.peer = peer }

    /// Admits the client without a password, with what a primary reports of itself from version 14 on.
    func begin(version: String) async {
        await send("R", [0, 0, 0, 0])
        let reports = [
            ("server_version", version), ("default_transaction_read_only", "off"), ("in_hot_standby", "off"),
        ]
        for (name, value) in reports { await send("S", Array("\(name)\0\(value)\0".utf8)) }
        await send("Z", Array("I".utf8))
    }

    /// Reads the client's first message, which has no type.
    func startup() async -> Bool { await content() != nil }

    func message() async -> (type: Character, content: [UInt8])? {
        guard let type = await take(1)?.first, let content = await content() else { return nil }
        return (Character(Unicode.Scalar(type)), content)
    }

    func send(_ type: String, _ content: [UInt8] = []) async {
        let length = UInt32(content.count + 4)
        await peer.send(Array(type.utf8) + [24, 16, 8, 0].map { UInt8(length >> $0 & 255) } + content)
    }

    func sendError(_ severity: String, _ sqlState: String, _ sentence: String) async {
        let fields = ["S\(severity)", "V\(severity)", "C\(sqlState)", "M\(sentence)"]
        await send("E", fields.flatMap { Array($0.utf8) + [0] } + [0])
    }

    private func content() async -> [UInt8]? {
        guard let length = await take(4) else { return nil }
        return await take(length.reduce(0) { $0 << 8 | Int($1) } - 4)
    }

    private func take(_ count: Int) async -> [UInt8]? {
        while bytes.count < count {
            guard let more = await peer.receive() else { return nil }
            bytes += more
        }
        defer { bytes.removeFirst(count) }
        return Array(bytes.prefix(count))
    }
}
#endif
