// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchAuth

@testable import LatchUI

/// A screen of the list with what its exploration needs; all of it is beside the scenarios of the screen.
protocol FlowScreen: RoutedScreen {
    /// A route to the screen.
    static var sample: AuthRoute { get }
    /// The outcomes of the screen but ``leaving``.
    static var outcomes: [Outcome] { get }
    /// The outcome by which the user leaves the screen without having done anything.
    static var leaving: Outcome { get }
    static var scenarios: [ScreenScenario<Self>] { get }
}

extension FlowScreen {
    static var sample: AuthRoute { AuthRoute(kind) }
    static var outcomes: [Outcome] { [] }

    /// The moves that the outcomes lead to, the last one out of the screen.
    fileprivate static var moves: [FlowMove] {
        outcomes.map { FlowMove(name: name($0), move: move(after: $0)) }
            + [FlowMove(name: name(leaving), move: move(after: leaving), isLeaving: true)]
    }

    private static func name(_ outcome: Outcome) -> String { String("\(outcome)".prefix { $0 != "(" }) }
}

/// A move of the flow, with the name of its outcome in the table.
struct FlowMove: Sendable {
    let name: String
    let move: AuthFlow.Move
    /// Whether the user leaves the screen by it without having done anything.
    var isLeaving = false
}

extension AuthRoute.Kind {
    /// The screen of the kind; nil for a screen of an app.
    var explored: (any FlowScreen.Type)? { screen as? any FlowScreen.Type }

    /// A route to a screen of the kind.
    var route: AuthRoute { explored?.sample ?? .custom("plan") }

    /// The moves of a screen of the kind, the last one out of the screen.
    var moves: [FlowMove] {
        var all = explored?.moves ?? [FlowMove(name: "custom", move: .close(), isLeaving: true)]
        if self == .signIn {
            all.insert(FlowMove(name: "signedIn, by a password", move: .signedIn(by: .password)), at: 1)
        }
        return all
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
                for outcome in screen.route.kind.moves { follow(outcome, of: screen, in: state) }
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
    private mutating func follow(_ outcome: FlowMove, of screen: AuthFlow.OpenScreen, in state: AuthFlow) {
        var after = state
        let effects = after.follow(outcome.move, of: screen.id)
        // Made for a violation alone: the name of each step would take most of the time.
        func place() -> String { "follows \(screen.route.kind).\(outcome.name) to '\(Self.name(after))'" }
        if screen.id != state.screens.last?.id, after.screens.last?.id != state.screens.last?.id {
            violate("\(place()), which moves what the user sees", state)
        }
        if outcome.isLeaving, after.index(of: screen.id) != nil { violate("\(place()), and it stays", state) }
        // A covered screen leads to nothing that is open already.
        let isVisible = screen.id == state.screens.last?.id
        if isVisible, after == state, effects.isEmpty, outcome.move != .stay {
            violate("\(place()): nothing", state)
        }
        // Once more, when the screen is gone.
        var late = after
        if after.index(of: screen.id) == nil, !late.follow(outcome.move, of: screen.id).isEmpty || late != after {
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
            guard let last = exit.screens.last, let leaving = last.route.kind.moves.last else { break }
            _ = exit.follow(leaving.move, of: last.id)
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
            "### Navigation between the screens", "",
            "\(states.count) states, in which an app has opened up to"
                + " \(Self.depth) screens, and outcomes are followed from up to \(Self.followedDepth). A screen of a new account has a `+`; what is written after an arrow follows.",
            "", "| screen | outcome | " + Self.contexts.map(\.name).joined(separator: " | ") + " |",
            "|---|---|" + String(repeating: "---|", count: Self.contexts.count),
        ]
        for kind in AuthRoute.Kind.allCases {
            for outcome in kind.moves {
                let cells = Self.contexts.map { Self.cell(outcome, kind, $0.make(kind)) }
                lines.append("| \(kind.rawValue) | \(outcome.name) | \(cells.joined(separator: " | ")) |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func cell(_ outcome: FlowMove, _ kind: AuthRoute.Kind, _ flow: AuthFlow) -> String {
        guard let screen = flow.screens.last, screen.route.kind == kind else { return "–" }
        if screen.isForNewAccount == false, flow.screens.contains(where: \.isForNewAccount) { return "–" }
        var after = flow
        let effects = after.follow(outcome.move, of: screen.id).map { effect in
            switch effect {
            case .useSignedIn: "the account that has signed in"
            case .keepSignedIn: "the account in the list"
            case .signOut: "the end of the session"
            case .tellCancellation: "the app is notified"
            case .sayGoodbye: "confirmation of the deletion"
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
