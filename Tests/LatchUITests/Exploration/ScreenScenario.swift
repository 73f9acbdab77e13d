// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchTexts
import LatchUI

/// A screen with everything that may happen to it: the texts that a user may type, and the world's answers.
struct ScreenScenario<S: Screen>: Sendable {
    /// The name of the screen in the table.
    let name: String
    /// The screen at its beginning.
    let screen: S
    /// The name of a screen's step in the table.
    let step: @Sendable (S) -> String
    /// The answers that a request may get.
    let responses: @Sendable (S.Request) -> [S.Response]
    /// The failures that a request may end with.
    ///
    /// By default those that any screen tells apart: every other one is a notice, as `offline` is.
    var failures: [ScreenFailure.Reason] = [
        .offline, .wrongCredentials, .wrongCode, .codeRequired, .locked, .expired, .missing, .stepUpRequired,
        .cancelled,
    ]
    /// The links that may open the app.
    var links: [ScreenLink] = []

    /// Every secret that a user types in a scenario.
    static var secret: String { "hunter2-secret" }
    /// The code that a user types in a scenario.
    static var code: String { "739157" }

    /// The texts that a user may type into a field: nothing, something wrong, something right.
    func texts(_ kind: FieldKind) -> [String] {
        switch kind {
        case .email: ["ada", "ada@example.com"]
        case .username, .text, .paragraph: ["", "ada"]
        case .name: ["Ada"]
        case .password: ["", Self.secret]
        case .newPassword: ["short", Self.secret]
        case .oneTimeCode, .authenticatorCode: ["12", Self.code]
        case .checkbox: ["", FieldKind.checked]
        }
    }
}

/// A state of an explored screen: the machine, and the request that the world works at.
struct ExploredScreen<S: Screen>: Hashable, Sendable {
    var machine: ScreenMachine<S>
    var request: S.Request?

    /// The name of the state in the table.
    func name(_ scenario: ScreenScenario<S>) -> String {
        let step = scenario.step(machine.screen)
        switch machine.activity {
        case .finished(let outcome): return "*\(outcomeName(outcome))*"
        case .busy: return "\(step), busy"
        case .idle: return machine.lockedUntil == nil ? step : "\(step), locked"
        }
    }

    /// The name of an outcome without its values.
    func outcomeName(_ outcome: S.Outcome) -> String {
        String("\(outcome)".split(separator: "(").first ?? "")
    }
}

/// A step of an exploration: an event, and its name in the table.
struct ExploredEvent<S: Screen>: Sendable {
    let name: String
    let event: ScreenEvent<S>
    /// Whether the user or the clock makes it, and not the world.
    var isOwn = true
    /// Whether a user can make it at any time, so that it is a way out: neither a wait nor what SwiftUI sends by itself.
    var isWayOut = true
}

extension ScreenScenario {
    /// The events that may happen in a state.
    func events(_ state: ExploredScreen<S>) -> [ExploredEvent<S>] {
        var all = inputs(state)
        for input in [ScreenInput.appear, .disappear, .activate, .refresh] {
            all.append(ExploredEvent(name: "\(input)", event: .input(input), isWayOut: false))
        }
        for link in links {
            all.append(ExploredEvent(name: "link \(link.purpose)", event: .input(.open(link))))
        }
        if let date = state.machine.deadline {
            all.append(ExploredEvent(name: "time", event: .time(date), isWayOut: false))
        }
        if let assistance = state.machine.assistance {
            all += answers(assistance, prefix: "suggestion")
            all += failures.filter { $0 != .locked }.map { reason in
                ExploredEvent(
                    name: "suggestion fails with `\(reason)`", event: .assistanceFailure(ScreenFailure(reason)),
                    isOwn: false)
            }
        }
        guard let request = state.request, state.machine.isBusy else { return all }
        all += answers(request, prefix: "answer")
        for reason in failures {
            let failure = ScreenFailure(
                reason, after: reason == .locked ? .seconds(30) : nil, from: Date(timeIntervalSince1970: 0))
            all.append(ExploredEvent(name: "failure `\(reason)`", event: .failure(failure), isOwn: false))
        }
        return all
    }

    /// The answers that a request may get, as events.
    func answers(_ request: S.Request, prefix: String, isLate: Bool = false) -> [ExploredEvent<S>] {
        responses(request).map { response in
            let name = "\(prefix) `\("\(response)".split(separator: "(").first ?? "")`"
            return ExploredEvent(
                name: name, event: isLate ? .lateResponse(response) : .response(response), isOwn: false)
        }
    }

    private func inputs(_ state: ExploredScreen<S>) -> [ExploredEvent<S>] {
        state.machine.controls.flatMap(\.withActions).flatMap { control -> [ExploredEvent<S>] in
            let name = control.id.name
            guard control.isEnabled else { return [] }
            switch control.kind {
            case .field(let kind):
                let edits = texts(kind).filter { $0 != control.text.value }.map { text in
                    ExploredEvent<S>(name: "edit \(name)", event: .input(.edit(control.id, text)))
                }
                return edits
            case .button:
                return [ExploredEvent(name: "press \(name)", event: .input(.press(control.id)))]
            case .toggle:
                return [ExploredEvent(name: "set \(name)", event: .input(.set(control.id, !control.isOn)))]
            default: return []
            }
        }
    }
}
