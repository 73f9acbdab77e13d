// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The properties of one simulated life that stay the same until its end, drawn from its seed.
struct SimulatedLife: Sendable {
    /// The answers of an issuer to a refresh token that was used.
    enum ReplayWindow: Sendable, Hashable {
        /// None: each repetition is a theft (RFC 9700 §4.14.2).
        case none
        /// The same successor within some seconds, whatever the key.
        case short(seconds: Double)
        /// The same successor for the same idempotency key, however late, and for any key within half a minute.
        case keyed
    }

    /// The `Date` of the issuer's responses.
    enum IssuerDate: Sendable { case exact, missing, cached }

    /// The way on which a session asks its issuer.
    enum Way: Sendable {
        /// A closure, as an app with a protocol of its own has it.
        case closure
        /// A `TokenEndpoint`, with its forms and its JSON.
        case tokenEndpoint
    }

    /// The kind of an app's store.
    let store: SimulatedStore.Kind
    /// Whether the records are the items of a `SecretTokenStore`.
    let isSecret: Bool
    /// Whether the locks are those of a `FileCoordination`, in a temporary folder.
    let locksFiles: Bool
    let way: Way
    let window: ReplayWindow
    /// Whether a refresh replaces the refresh token; RFC 6749 §6 leaves that open.
    let rotates: Bool
    /// Whether responses omit a refresh token that stays the same, and whether some omit the expiry.
    let omitsRefreshToken: Bool
    let omitsExpiry: Bool
    /// Whether the issuer knows one grant for each user and client: a new sign-in ends the earlier one.
    let hasOneGrant: Bool
    let issuerDate: IssuerDate
    /// The error of the `Date` of the resource, and of the clock by which it judges expiry, in seconds.
    let resourceDateError: Double
    let resourceSkew: Double
    /// The seconds that the device's date gains in each second.
    let drift: Double
    /// The longest wait for the refresh lock.
    let patience: Duration
    /// Whether the sessions refresh on their own.
    let refreshesInBackground: Bool

    /// Whether a request is repeated under the key of its first attempt, even after a kill.
    var keysOutliveProcesses: Bool { store != .plain }

    /// Whether the device may take an accepted credential for an expired one, though nobody set its date.
    var isClockUnsure: Bool { drift != 0 || issuerDate == .cached }

    /// Draws a life.
    init(_ simulation: Simulation) {
        store = simulation.chance(75) ? .shared : simulation.chance(40) ? .lone : .plain
        isSecret = store != .plain && simulation.chance(25)
        locksFiles = store == .shared && simulation.chance(8)
        way = simulation.chance(25) ? .tokenEndpoint : .closure
        switch simulation.below(100) {
        case ..<18: window = .none
        case ..<30: window = .short(seconds: Double(3 + simulation.below(8)))
        default: window = .keyed
        }
        rotates = window != .keyed || store == .plain || !simulation.chance(15)
        omitsRefreshToken = !rotates && simulation.chance(60)
        omitsExpiry = simulation.chance(8)
        hasOneGrant = simulation.chance(30)
        issuerDate = simulation.chance(80) ? .exact : simulation.chance(50) ? .missing : .cached
        resourceDateError = simulation.chance(20) ? Double(simulation.below(7_200) - 3_600) : 0
        resourceSkew = simulation.chance(15) ? Double(simulation.below(40) - 20) : 0
        drift = simulation.chance(8) ? Double(simulation.below(401) - 200) / 10_000 : 0
        patience = simulation.chance(15) ? .seconds(10 + simulation.below(30)) : .seconds(90)
        refreshesInBackground = simulation.chance(30)
    }

    /// A life without faults of its own, for tests of its parts.
    init(answersRepeats: Bool = true, keysOutliveProcesses: Bool = true, rotates: Bool = true) {
        store = keysOutliveProcesses ? .shared : .plain
        (isSecret, locksFiles, way, window) = (false, false, .closure, answersRepeats ? .keyed : .none)
        (self.rotates, omitsRefreshToken, omitsExpiry, hasOneGrant) = (rotates, false, false, false)
        (issuerDate, resourceDateError, resourceSkew, drift) = (.exact, 0, 0, 0)
        (patience, refreshesInBackground) = (.seconds(90), false)
    }

    /// The faults that these properties are.
    var faults: [SimulatedFault] {
        let faults: [(SimulatedFault, Bool)] = [
            (.loneStore, store == .lone), (.plainStore, store == .plain), (.secretStore, isSecret),
            (.fileLocks, locksFiles), (.tokenEndpoint, way == .tokenEndpoint), (.issuerWithoutWindow, window == .none),
            (.issuerWithShortWindow, isWindowShort), (.issuerWithoutRotation, !rotates),
            (.issuerWithOneGrant, hasOneGrant), (.issuerDateMissing, issuerDate == .missing),
            (.issuerDateCached, issuerDate == .cached), (.resourceDateWrong, resourceDateError != 0),
            (.resourceClockWrong, resourceSkew != 0), (.clockDrifts, drift != 0),
            (.impatience, patience < .seconds(90)),
        ]
        return faults.filter(\.1).map(\.0)
    }

    private var isWindowShort: Bool { if case .short = window { true } else { false } }
}
