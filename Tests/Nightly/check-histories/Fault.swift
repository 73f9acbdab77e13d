// SPDX-License-Identifier: Apache-2.0

import LatchTesting

/// A fault of a server, of its date, of a disk, of its database or of the network between both, once as many requests were
/// sent.
struct Fault {
    enum Kind: Hashable, Sendable {
        /// The server is killed, and starts again.
        case kill(node: Int)
        /// The server is stopped for a while.
        case pause(node: Int, milliseconds: Int)
        /// One server after the other ends as it does for an update, and starts again.
        case roll
        /// The database is lost, and its standby promoted; with a time it first hangs beside its successor.
        case failover(milliseconds: Int)
        /// The network of a node forwards nothing; a long one is over after the node has given up its connections.
        case stall(node: Int, milliseconds: Int)
        /// The network of a node loses answers and then the connections.
        case cut(node: Int, milliseconds: Int)
        /// The standby takes nothing, so that no commit ends.
        case slow(milliseconds: Int)
        /// The date of a node jumps, and is wrong by some seconds from then on.
        case jump(node: Int, seconds: Int)
        /// Each sync of the disks takes so much longer for a while.
        case slowDisk(delay: Int, milliseconds: Int)
    }

    /// The milliseconds after which a server gives up a connection without an answer: `statementTimeout` and
    /// `networkTimeout` of its PostgreSQL client.
    fileprivate static let silenceLimit = 12_000

    let kind: Kind
    let after: Int

    /// Returns the names of all faults of servers, or of everything where they have a database of their own.
    static func names(overDatabase: Bool) -> Set<String> {
        var kinds: [Kind] = [
            .kill(node: 0), .pause(node: 0, milliseconds: 1), .slowDisk(delay: 1, milliseconds: 1),
        ]
        if overDatabase {
            kinds += [
                .roll, .failover(milliseconds: 0), .failover(milliseconds: 1), .stall(node: 0, milliseconds: 1),
                .stall(node: 0, milliseconds: silenceLimit + 1), .cut(node: 0, milliseconds: 1),
                .slow(milliseconds: 1), .jump(node: 0, seconds: 0),
            ]
        }
        return Set(kinds.map(\.name))
    }

    /// Returns a kill for each history, and for some a pause or a slow disk, at any time.
    static func ofProcesses(nodes: Int, requests: Int, _ random: inout SplitMix64) -> [Fault] {
        let kill = Fault(kind: .kill(node: random.below(nodes)), after: random.below(requests / 2))
        let further = random.below(12)
        guard further < 5 else { return [kill] }
        let (node, after) = (random.below(nodes), random.below(requests - 10))
        let kind = further < 4 ? .pause(node: node, milliseconds: 10 + random.below(200)) : slowDisk(&random)
        return [kill, Fault(kind: kind, after: after)]
    }

    /// Returns one or two of all faults for each history.
    static func ofEverything(nodes: Int, requests: Int, _ random: inout SplitMix64) -> [Fault] {
        (0...random.below(2)).map { number -> Fault in
            let (node, time) = (random.below(nodes), 10 + random.below(400))
            let kind: Kind =
                switch random.below(26) {
                case 0: .failover(milliseconds: 0)
                case 1: .failover(milliseconds: time)
                case 2: .roll
                case 3..<9: .kill(node: node)
                case 9..<12:
                    .stall(
                        node: node,
                        milliseconds: random.below(8) == 0 ? Self.silenceLimit + 1_000 + random.below(2_000) : time)
                case 12..<15: .cut(node: node, milliseconds: time)
                case 15..<18: .slow(milliseconds: time)
                case 18..<22: .jump(node: node, seconds: random.pick(NodeClock.offsets))
                case 22..<24: slowDisk(&random)
                default: .pause(node: node, milliseconds: time)
                }
            return Fault(kind: kind, after: random.below(requests / 2) + number * requests / 4)
        }
    }

    private static func slowDisk(_ random: inout SplitMix64) -> Kind {
        .slowDisk(delay: 50 + random.below(350), milliseconds: 500 + random.below(2_500))
    }

    /// Whether it is a slow disk.
    var isOfDisk: Bool {
        guard case .slowDisk = kind else { return false }
        return true
    }

    /// Whether a server gives up its connections before the fault is over.
    var outlastsServers: Bool {
        guard case .stall(_, let milliseconds) = kind else { return false }
        return milliseconds > Self.silenceLimit
    }
}

extension Fault.Kind {
    /// The name of the fault in the figures.
    var name: String {
        switch self {
        case .kill: "kills"
        case .pause: "stops"
        case .roll: "rolling restarts"
        case .failover(milliseconds: 0): "failovers"
        case .failover: "failovers beside a hung primary"
        case .stall(_, let milliseconds) where milliseconds > Fault.silenceLimit: "partitions that outlast the servers"
        case .stall: "partitions"
        case .cut: "lost answers"
        case .slow: "slow commits"
        case .jump: "clock jumps"
        case .slowDisk: "slow disks"
        }
    }
}
