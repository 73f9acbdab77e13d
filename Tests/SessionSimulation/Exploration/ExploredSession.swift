// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
package import LatchHTTP
package import PortableFoundation

/// A credential of an explored session: a refresh token, an access token, and perhaps one for a resource of its own.
package struct ExploredTicket: SessionCredential, Hashable, CustomStringConvertible {
    /// An access token: the refresh that it comes from, and the step of the clock at which it was issued.
    package struct Access: Hashable, Sendable {
        var number: Int
        var born: Int
        /// The number of step-ups before it.
        var strength = 0
        /// The number of responses that have rotated it.
        var rotations = 0
    }

    /// The grant that it comes from.
    package var family: Int
    /// The number of refreshes since.
    package var number: Int
    package var access: Access
    /// The access token of the resource.
    package var resource: Access?
    package var isRefreshable = true
    /// Whether the access token is that of the resource.
    package var isForResource = false

    /// Creates a ticket that was issued at a step of the clock.
    init(family: Int, number: Int, born: Int, strength: Int = 0) {
        (self.family, self.number) = (family, number)
        access = Access(number: number, born: born, strength: strength)
    }

    /// The steps of the clock for which a ticket is accepted; a refresh is due one step before.
    static let life = 3
    /// The resource.
    static let target = TokenTarget(resource: "resource")

    package var expiry: Date? { ExploredWorld.date(access.born + Self.life) }
    package var issued: Date? { ExploredWorld.date(access.born) }
    package func authorize(_ request: inout HTTPRequest) {}

    package func hasSameAccessToken(as other: ExploredTicket) -> Bool {
        family == other.family && access == other.access && isForResource == other.isForResource
    }

    package func hasSameRefreshToken(as other: ExploredTicket) -> Bool {
        family == other.family && number == other.number
    }

    package func succeeding(_ predecessor: ExploredTicket) -> ExploredTicket {
        var fresh = self
        guard !isRefreshable else { return fresh }
        (fresh.family, fresh.number, fresh.isRefreshable) = (predecessor.family, predecessor.number, true)
        fresh.resource = predecessor.resource
        return fresh
    }

    package func credential(for target: TokenTarget?) -> ExploredTicket? {
        guard target != nil else { return self }
        guard let resource else { return nil }
        var ticket = self
        (ticket.access, ticket.isForResource) = (resource, true)
        return ticket
    }

    package func succeeding(_ predecessor: ExploredTicket, for target: TokenTarget?) -> ExploredTicket {
        guard target != nil else { return succeeding(predecessor) }
        var ticket = predecessor
        (ticket.number, ticket.resource) = (number, access)
        return ticket
    }

    package var description: String {
        let strength = access.strength > 0 ? "+\(access.strength)" : ""
        return "\(family):\(number)\(strength)\(access.rotations > 0 ? "~\(access.rotations)" : "")"
            + (isForResource ? " of the resource" : "")
    }
}

/// A process with a session, as far as the exploration knows it.
package struct ExploredProcess: Hashable, Sendable {
    typealias Machine = SessionMachine<ExploredTicket>

    /// An effect that has begun and not ended.
    package enum Pending: Hashable, Sendable {
        case enter(SessionSection, waits: Bool, isCalledBack: Bool)
        case load
        /// The record that was read without a lock.
        case loaded(TokenRecord<ExploredTicket>?)
        case save(TokenRecord<ExploredTicket>?)
        /// The record was written, which the process does not know yet.
        case saved
        case request(id: Int, ExploredTicket, key: String)
        case response(id: Int, to: ExploredTicket, ExploredResponse)
        /// The user authenticates again.
        case authentication(id: Int)

        var name: String {
            switch self {
            case .enter(let section, let waits, _): "entering \(section)\(waits ? " after a wait" : "")"
            case .load: "a read"
            case .loaded(let record): "the delivery of \(record?.credential?.description ?? "no credential")"
            case .save(let record):
                "a write of \(record?.credential?.description ?? "no credential")"
                    + (record?.refreshKey == nil ? "" : " with a key")
            case .saved: "the delivery of a write"
            case .request(_, let ticket, _): "a request to refresh \(ticket)"
            case .response(_, _, let response): "the delivery of \(response)"
            case .authentication: "the authentication of the user"
            }
        }
    }

    /// A caller that waits.
    enum Waiter: Hashable, Sendable {
        /// For a credential, perhaps instead of one that was refused; and whether the record held none meanwhile.
        case use(refused: ExploredTicket?, sawNone: Bool)
        /// For the moment at which the program may be suspended.
        case suspension
        /// For something else.
        case other
    }

    /// The number of the start, which tells the lives of a process apart.
    var start: Int
    var machine: Machine
    var pending: [Pending] = []
    /// Whether a change by another process was announced and not heard.
    var isNotified = false
    /// Whether the record is the one that the process read or wrote last: what the stamp of a lock tells.
    var isCurrent = false
    /// The steps by which the date of the process is ahead.
    var skew = 0
    /// The callers that wait.
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
    /// Whose credential the record held when the process read or wrote it last; nil before.
    var known: Known?

    /// The user of a record.
    struct Known: Hashable, Sendable {
        /// Nil if the record held no credential.
        var family: Int?
    }

    init(start: Int, _ configuration: Machine.Configuration) {
        self.start = start
        machine = Machine(configuration)
    }
}

/// The issuer's response to a refresh.
package enum ExploredResponse: Hashable, Sendable {
    case success(ExploredTicket)
    case ended
    case rejected
    case unavailable
    case lost
}

/// An issuer with rotation, reuse detection and, perhaps, a replay window (RFC 9700 §4.14.2).
struct ExploredIssuer: Hashable, Sendable {
    struct Family: Hashable, Sendable {
        var number = 0
        var born: Int
        var lastKey = ""
        /// The number of step-ups before it.
        var strength = 0
        var isRevoked = false
    }

    var families: [Family] = []
    /// The steps of the clock for which a repetition under the same key gets the same response.
    var window: Int
    /// The refresh tokens whose responses were lost, so that their session may end where the window is closed.
    var lost: Set<[Int]> = []
    /// The violation of the protocol by a client.
    var violation: String?

    mutating func signIn(at time: Int, strength: Int = 0) -> ExploredTicket {
        families.append(Family(born: time, strength: strength))
        return ExploredTicket(family: families.count - 1, number: 0, born: time, strength: strength)
    }

    /// Notes that a client may not have got the response to a request.
    mutating func lose(_ ticket: ExploredTicket) { lost.insert([ticket.family, ticket.number]) }

    mutating func respond(to ticket: ExploredTicket, key: String, at time: Int) -> ExploredResponse {
        var family = families[ticket.family]
        defer { families[ticket.family] = family }
        guard !family.isRevoked else { return .ended }
        if ticket.number == family.number {
            (family.number, family.born, family.lastKey) = (ticket.number + 1, time, key)
        } else if ticket.number != family.number - 1 || family.lastKey != key || time - family.born >= window {
            let isLate = family.lastKey == key && time - family.born >= window
            if !(isLate || window == 0) || !lost.contains([ticket.family, ticket.number]) {
                violation = "\(ticket) was refreshed a second time, and the session is lost"
            }
            family.isRevoked = true
            return .ended
        }
        return .success(
            ExploredTicket(family: ticket.family, number: family.number, born: family.born, strength: family.strength))
    }
}
