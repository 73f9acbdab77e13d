// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
package import LatchFoundation
package import LatchHTTP

/// A credential of an explored session: a refresh token, an access token, and perhaps one for each of two resources.
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
    /// The access tokens of the resources.
    package var resources: [Access?] = [nil, nil]
    package var isRefreshable = true
    /// The resource that the access token is for; nil for the session's own.
    package var resource: Int?

    /// Creates a ticket that was issued at a step of the clock.
    init(family: Int, number: Int, born: Int, strength: Int = 0) {
        (self.family, self.number) = (family, number)
        access = Access(number: number, born: born, strength: strength)
    }

    /// The steps of the clock for which a ticket is accepted; a refresh is due one step before.
    static let life = 3
    /// The resources.
    static let targets = [TokenTarget(resource: "first"), TokenTarget(resource: "second")]

    package var expiry: Date? { ExploredWorld.date(access.born + Self.life) }
    package var issued: Date? { ExploredWorld.date(access.born) }
    package func authorize(_ request: inout HTTPRequest) {}

    package func hasSameAccessToken(as other: ExploredTicket) -> Bool {
        family == other.family && access == other.access && resource == other.resource
    }

    package func hasSameRefreshToken(as other: ExploredTicket) -> Bool {
        family == other.family && number == other.number
    }

    package func updated(by response: ExploredTicket, for target: TokenTarget?) -> ExploredTicket {
        var ticket = renewingGrant(from: response)
        if let place = target.flatMap({ Self.targets.firstIndex(of: $0) }) {
            ticket.resources[place] = response.access
        } else {
            ticket.access = response.access
        }
        return ticket
    }

    package func renewingGrant(from response: ExploredTicket) -> ExploredTicket {
        guard response.isRefreshable else { return self }
        var ticket = self
        (ticket.family, ticket.number, ticket.isRefreshable) = (response.family, response.number, true)
        return ticket
    }

    package func credential(for target: TokenTarget?) -> ExploredTicket? {
        guard let place = target.flatMap({ Self.targets.firstIndex(of: $0) }) else { return self }
        guard let access = resources[place] else { return nil }
        var ticket = self
        (ticket.access, ticket.resource) = (access, place)
        return ticket
    }

    package var description: String {
        let strength = access.strength > 0 ? "+\(access.strength)" : ""
        return "\(family):\(number)\(strength)\(access.rotations > 0 ? "~\(access.rotations)" : "")"
            + (resource.map { " of resource \($0)" } ?? "")
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
        case request(id: Int, ExploredTicket, key: String, TokenTarget?)
        case response(id: Int, to: ExploredTicket, ExploredResponse)
        /// The app or the session tells the issuer that a credential was left.
        case revocation(ExploredTicket)
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
            case .request(_, let ticket, _, let target):
                "a request to refresh \(ticket)" + (target.map { " for the \($0.resource) resource" } ?? "")
            case .revocation(let ticket): "the revocation of \(ticket)"
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
        /// For the moment at which the program may end.
        case rest
        /// For the end of a sign-out.
        case signOut
        /// For something else.
        case other
    }

    /// The number of the start, which tells the lives of a process apart.
    var start: Int
    var machine: Machine
    var pending: [Pending] = []
    /// Whether its request in flight was not sent, and is not sent any more, since it has let go of its lock.
    var isWithdrawn = false
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

    init(start: Int, _ machine: Machine) {
        (self.start, self.machine) = (start, machine)
    }
}

/// The issuer's response to a refresh.
package enum ExploredResponse: Hashable, Sendable {
    case success(ExploredTicket)
    /// A response of which only the refresh token can be read.
    case incomplete(ExploredTicket)
    case ended
    /// A refusal that is a gateway's.
    case doubted
    case userRequired
    case rejected
    case unavailable
    case lost
}

/// An issuer with or without rotation, reuse detection and replays (RFC 9700 §4.14.2).
package struct ExploredIssuer: Hashable, Sendable {
    struct Family: Hashable, Sendable {
        var number = 0
        var born: Int
        var lastKey = ""
        /// The number of step-ups before it.
        var strength = 0
        var isRevoked = false
    }

    /// What an issuer makes of a refresh token.
    package enum Kind: Hashable, Sendable {
        /// It rotates, detects reuse, and repeats a response under its key for some steps of the clock; 0 for never.
        case strict(replays: Int)
        /// It rotates and refuses a used refresh token, and ends nothing for it.
        case rotating
        /// It keeps the refresh token, and names none in its responses.
        case lasting
    }

    var families: [Family] = []
    let kind: Kind
    /// The refresh tokens whose responses were lost, so that their session may end where the issuer repeats none.
    var lost: Set<[Int]> = []
    /// The violation of the protocol by a client.
    var violation: String?

    init(_ kind: Kind) { self.kind = kind }

    mutating func signIn(at time: Int, strength: Int = 0) -> ExploredTicket {
        families.append(Family(born: time, strength: strength))
        return ExploredTicket(family: families.count - 1, number: 0, born: time, strength: strength)
    }

    /// Notes that a client cannot have got the response to a request.
    mutating func lose(_ ticket: ExploredTicket) { lost.insert([ticket.family, ticket.number]) }

    /// Whether the session of a family may have ended, since a response was lost.
    func mayHaveLost(_ family: Int) -> Bool { lost.contains { $0.first == family } }

    mutating func respond(to ticket: ExploredTicket, key: String, at time: Int) -> ExploredResponse {
        var family = families[ticket.family]
        defer { families[ticket.family] = family }
        guard !family.isRevoked else { return .ended }
        var fresh = ExploredTicket(family: ticket.family, number: 0, born: time, strength: family.strength)
        if kind == .lasting {
            fresh.isRefreshable = false
            fresh.access.number = ticket.access.number + 1
            return .success(fresh)
        }
        if ticket.number == family.number {
            (family.number, family.born, family.lastKey) = (ticket.number + 1, time, key)
        } else if !repeats(ticket, of: family, key: key, at: time) {
            if !lost.contains([ticket.family, ticket.number]) || isCovered(ticket, by: family, key: key, at: time) {
                violation = "\(ticket) was refreshed a second time, and the session is lost"
            }
            if kind != .rotating { family.isRevoked = true }
            return .ended
        }
        fresh = ExploredTicket(
            family: ticket.family, number: family.number, born: family.born, strength: family.strength)
        return .success(fresh)
    }

    /// Whether the issuer repeats its last response.
    private func repeats(_ ticket: ExploredTicket, of family: Family, key: String, at time: Int) -> Bool {
        guard case .strict(let window) = kind else { return false }
        return ticket.number == family.number - 1 && family.lastKey == key && time - family.born < window
    }

    /// Whether the issuer would have repeated its last response for the key of that, so that another key is a fault.
    private func isCovered(_ ticket: ExploredTicket, by family: Family, key: String, at time: Int) -> Bool {
        repeats(ticket, of: family, key: family.lastKey, at: time)
    }

    /// Ends a family by one of its refresh tokens (RFC 7009 §2.1); a used one means nothing to most issuers.
    mutating func revoke(_ ticket: ExploredTicket) {
        if kind == .lasting || ticket.number == families[ticket.family].number {
            families[ticket.family].isRevoked = true
        } else if case .strict = kind {
            families[ticket.family].isRevoked = true
        }
    }
}
