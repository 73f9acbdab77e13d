// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchAuth

@testable import LatchUI

/// An outcome of a screen, with its name in the table.
struct FlowOutcome: Sendable {
    let outcome: AuthOutcome
    /// Whether the user leaves the screen by it without having done anything.
    var isLeaving = false

    /// The name of the screen's own outcome, without its values.
    var name: String {
        if case .signIn(.signedIn, by: .password) = outcome { return "signedIn, by a password" }
        let text = "\(outcome)"
        let own = text.split(separator: "(", maxSplits: 1).last?.prefix { !"(),".contains($0) }
        return own?.split(separator: ".").last.map { String($0) } ?? text
    }
}

extension AuthRoute.Kind {
    /// A route to a screen of the kind.
    var route: AuthRoute {
        switch self {
        case .signIn: .signIn(email: "ada@example.com")
        case .registration: .registration(email: "ada@example.com")
        case .verification: .verification(EmailVerificationScreen(email: "ada@example.com"))
        case .passwordReset: .passwordReset(PasswordResetScreen(email: "ada@example.com"))
        case .accounts: .accounts
        case .profile: .profile
        case .editProfile: .editProfile
        case .changePassword: .changePassword
        case .secondFactor: .secondFactor
        case .devices: .devices
        case .passkeys: .passkeys
        case .passkeyOffer: .passkeyOffer(email: "ada@example.com")
        case .custom: .custom("plan")
        }
    }

    /// All outcomes of a screen of the kind.
    var outcomes: [FlowOutcome] {
        let email = "ada@example.com"
        let all: [AuthOutcome] =
            switch self {
            case .signIn:
                [
                    .signIn(.signedIn), .signIn(.signedIn, by: .password),
                    .signIn(.registration(email: email)), .signIn(.passwordReset(email: email)),
                    .signIn(.verification(email: email)),
                ]
            case .registration: [.registration(.registered(email: email)), .registration(.signIn(email: email))]
            case .verification:
                [
                    .verification(.verified(email: email)), .verification(.signIn(email: email)),
                    .verification(.signedIn),
                ]
            case .passwordReset: [.passwordReset(.signIn(email: email)), .passwordReset(.signedIn)]
            case .accounts: AccountSwitcherScreen.samples.prefix(1).map { .accounts(.switched($0)) } + [.accounts(.add)]
            case .profile:
                [
                    .profile(.edit(.ada)), .profile(.changePassword), .profile(.secondFactor), .profile(.devices),
                    .profile(.passkeys), .profile(.verifyEmail(email: email)), .profile(.signedOut),
                    .profile(.deleted), .profile(.row("plan")),
                ]
            case .editProfile: [.editProfile(.saved(.ada))]
            case .changePassword: [.changePassword(.changed), .changePassword(.passwordReset)]
            case .secondFactor: [.secondFactor(.enabled), .secondFactor(.disabled)]
            case .passkeyOffer: [.passkeyOffer(.created)]
            case .devices, .passkeys, .custom: []
            }
        return all.map { FlowOutcome(outcome: $0) } + [FlowOutcome(outcome: leaving, isLeaving: true)]
    }

    private var leaving: AuthOutcome {
        switch self {
        case .signIn: .signIn(.cancelled)
        case .registration: .registration(.cancelled)
        case .verification: .verification(.later)
        case .passwordReset: .passwordReset(.cancelled)
        case .accounts: .accounts(.closed)
        case .profile: .profile(.closed)
        case .editProfile: .editProfile(.cancelled)
        case .changePassword: .changePassword(.cancelled)
        case .secondFactor: .secondFactor(.cancelled)
        case .devices: .devices(.closed)
        case .passkeys: .passkeys(.closed)
        case .passkeyOffer: .passkeyOffer(.later)
        case .custom: .custom
        }
    }
}

extension AuthFlow {
    /// The flow of an app with a screen of its own after each registration.
    static func exploring(hasAccounts: Bool) -> AuthFlow {
        AuthFlow(hasAccounts: hasAccounts, customScreens: ["plan"], stepsAfterRegistration: ["plan"])
    }
}

/// An enumeration of the states of an app's screens, breadth first: all outcomes of all screens, and all that an app may open.
struct FlowExplorer: Sendable {
    /// The exploration, which several tests read.
    static let shared = FlowExplorer()

    private(set) var states: [AuthFlow] = []
    private(set) var violations: [String] = []
    private var known: Set<String> = []
    /// The number of screens above each other up to which the app opens others.
    private static let depth = 2
    /// The number up to which outcomes are followed: covered screens open others too, in every order.
    private static let followedDepth = 3

    private init() {
        for first in Self.beginnings { add(first) }
        var next = 0
        while next < states.count, violations.count < 10 {
            let state = states[next]
            check(state)
            for screen in state.screens where state.screens.count <= Self.followedDepth {
                for outcome in screen.route.kind.outcomes { follow(outcome, of: screen, in: state) }
            }
            if state.screens.count < Self.depth {
                for kind in AuthRoute.Kind.allCases { visit(state) { $0.open(kind.route) } }
            }
            visit(state) { $0.enter() }
            visit(state) { flow in
                flow.leave()
                flow.start(with: flow.hasAccounts ? .accounts : .signIn(email: ""))
            }
            visit(state) { $0.close() }
            next += 1
        }
    }

    private static var beginnings: [AuthFlow] {
        [true, false].flatMap { hasAccounts in
            var outside = AuthFlow.exploring(hasAccounts: hasAccounts)
            var inside = outside
            outside.leave()
            outside.start(with: .signIn(email: "ada@example.com"))
            inside.enter()
            return [outside, inside]
        }
    }

    /// The name of a state: what is open, and for whom.
    static func name(_ flow: AuthFlow) -> String {
        let names = flow.screens.map { screen in
            let kind = screen.registeredEmail == nil ? screen.route.kind.rawValue : "custom step"
            return kind + (screen.isForNewAccount ? "+" : "")
        }
        let content = flow.isSignedIn == true ? ["content"] : []
        return (content + names).joined(separator: " › ")
    }

    private static func key(_ flow: AuthFlow) -> String { "\(flow.hasAccounts) \(flow.hasProfile) \(name(flow))" }

    private mutating func add(_ flow: AuthFlow) {
        if known.insert(Self.key(flow)).inserted { states.append(flow) }
    }

    private mutating func visit(_ state: AuthFlow, _ change: (inout AuthFlow) -> Void) {
        var next = state
        change(&next)
        add(next)
    }

    private mutating func violate(_ rule: String, _ flow: AuthFlow) {
        violations.append("'\(Self.name(flow))' \(rule)")
    }

    /// Takes an outcome, visible or covered, and checks what it did.
    private mutating func follow(_ outcome: FlowOutcome, of screen: AuthFlow.OpenScreen, in state: AuthFlow) {
        var after = state
        let effects = after.follow(outcome.outcome, of: screen.id)
        // Made for a violation alone: the name of each step would take most of the time.
        func place() -> String { "follows \(screen.route.kind).\(outcome.name) to '\(Self.name(after))'" }
        if screen.id != state.screens.last?.id, after.screens.last?.id != state.screens.last?.id {
            violate("\(place()), which moves what the user sees", state)
        }
        if outcome.isLeaving, after.index(of: screen.id) != nil { violate("\(place()), and it stays", state) }
        // A covered screen leads to nothing that is open already.
        let isVisible = screen.id == state.screens.last?.id
        if isVisible, after == state, effects.isEmpty, outcome.outcome != .profile(.signedOut) {
            violate("\(place()): nothing", state)
        }
        // Once more, when the screen is gone.
        var late = after
        if after.index(of: screen.id) == nil, !late.follow(outcome.outcome, of: screen.id).isEmpty || late != after {
            violate("\(place()), and once more when it is gone", state)
        }
        add(after)
    }

    /// Checks a state for itself, and that the user finds the way out.
    private mutating func check(_ flow: AuthFlow) {
        let kinds = flow.screens.map(\.route.kind)
        if Set(kinds).count != kinds.count { violate("has a screen twice", flow) }
        if Set(flow.screens.map(\.id)).count != kinds.count { violate("has an identifier twice", flow) }
        if flow.isSignedIn == false {
            if kinds.isEmpty { violate("shows nothing", flow) }
            if flow.screens.contains(where: \.route.needsUser) { violate("shows a user's screen", flow) }
            if flow.screens.contains(where: \.isForNewAccount) { violate("adds to no account", flow) }
        }
        if !flow.hasAccounts, kinds.contains(.accounts) { violate("shows a list that is not there", flow) }
        var exit = flow
        for _ in 0...flow.screens.count {
            guard let last = exit.screens.last, let leaving = last.route.kind.outcomes.last else { break }
            _ = exit.follow(leaving.outcome, of: last.id)
        }
        let isOut = exit.isSignedIn == true ? exit.screens.isEmpty : exit.screens.map(\.route.kind) == [.signIn]
        if !isOut { violate("has no exit: '\(Self.name(exit))'", flow) }
    }

    // MARK: Table

    private static let contexts: [(name: String, make: @Sendable (AuthRoute.Kind) -> AuthFlow)] = [
        (
            "signed out",
            { kind in
                var flow = AuthFlow.exploring(hasAccounts: true)
                flow.leave()
                flow.start(with: .signIn(email: ""))
                flow.reveal(kind.route)
                return flow
            }
        ),
        (
            "signed in",
            { kind in
                var flow = AuthFlow.exploring(hasAccounts: true)
                flow.enter()
                flow.hasProfile = true
                flow.open(kind.route)
                return flow
            }
        ),
        (
            "for a new account",
            { kind in
                var flow = AuthFlow.exploring(hasAccounts: true)
                flow.enter()
                flow.open(.accounts)
                flow.open(.signIn(email: ""))
                flow.reveal(kind.route)
                return flow
            }
        ),
    ]

    /// The table of screens and outcomes, in Markdown.
    var markdown: String {
        var lines = [
            "### The ways between the screens", "",
            "\(states.count) states, in which an app has opened up to"
                + " \(Self.depth) screens, and outcomes are followed from up to \(Self.followedDepth). A screen of a new account has a `+`; what is written after an arrow follows.",
            "", "| screen | outcome | " + Self.contexts.map(\.name).joined(separator: " | ") + " |",
            "|---|---|" + String(repeating: "---|", count: Self.contexts.count),
        ]
        for kind in AuthRoute.Kind.allCases {
            for outcome in kind.outcomes {
                let cells = Self.contexts.map { Self.cell(outcome, kind, $0.make(kind)) }
                lines.append("| \(kind.rawValue) | \(outcome.name) | \(cells.joined(separator: " | ")) |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func cell(_ outcome: FlowOutcome, _ kind: AuthRoute.Kind, _ flow: AuthFlow) -> String {
        guard let screen = flow.screens.last, screen.route.kind == kind else { return "–" }
        if screen.isForNewAccount == false, flow.screens.contains(where: \.isForNewAccount) { return "–" }
        var after = flow
        let effects = after.follow(outcome.outcome, of: screen.id).map { effect in
            switch effect {
            case .useSignedIn: "the account that has signed in"
            case .keepSignedIn: "the account in the list"
            case .signOut: "the end of the session"
            case .tellCancellation: "the app hears of it"
            case .sayGoodbye: "the news of the deletion"
            case .use: "the other account"
            case .show: "the profile as it is saved"
            case .reloadProfile: "the profile is loaded"
            case .offerPasskey: "the offer of a passkey"
            case .choose: "what the app's row is for"
            }
        }
        return ([Self.name(after)] + effects).joined(separator: " → ")
    }
}
