// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchAuth
import LatchTexts

@testable import LatchUI

extension AccountProfile {
    /// A profile whose address is not verified.
    static let ada: AccountProfile = {
        var profile = AccountProfile(id: "1", email: "ada@example.com")
        profile.firstName = "Ada"
        return profile
    }()
}

extension ScreenScenario where S == ProfileScreen {
    static let profile = ScreenScenario(
        name: "Profile", screen: ProfileScreen(offersPasskeys: true),
        step: { $0.isDeleting ? "deletion" : $0.profile == nil ? "empty" : "profile" },
        responses: { request in
            switch request {
            case .load: [.loaded(.ada, hasSecondFactor: true), .loaded(.ada, hasSecondFactor: nil)]
            case .signOut: [.signedOut]
            case .delete: [.deleted]
            }
        })
}

extension ProfileScreen: FlowScreen {
    static var outcomes: [Outcome] {
        [
            .edit(.ada), .changePassword, .secondFactor, .devices, .passkeys, .verifyEmail(email: "ada@example.com"),
            .signedOut, .deleted, .row("plan"),
        ]
    }
    static var leaving: Outcome { .closed }
    static var scenarios: [ScreenScenario<Self>] { [.profile] }
}

extension ScreenScenario where S == FormScreen {
    static let form: ScreenScenario = {
        var form = FormScreen(title: .verbatim("Choose a plan"))
        form.explanation = .verbatim("You can change it later.")
        form.fields = Fields([
            Field("team", .text, .verbatim("Team")), Field(.password, .password, .verbatim("Password")),
        ])
        form.switches = [.toggle("news", .verbatim("News"), isOn: false)]
        form.buttons = [.button("free", .secondary, .verbatim("Free")), .button("pro", .primary, .verbatim("Pro"))]
        return ScreenScenario(
            name: "Form of an app", screen: form, step: { _ in "form" },
            responses: { request in if case .submit(let entries) = request { [.accepted(entries)] } else { [] } })
    }()
}

extension ScreenScenario where S == EditProfileScreen {
    static let editProfile = ScreenScenario(
        name: "Editing of the profile", screen: EditProfileScreen(profile: .ada),
        step: { screen in screen.fields[.email] == nil || screen.content.count < 3 ? "mails" : "form" },
        responses: { request in
            switch request {
            case .save(let profile):
                [.saved(profile), .saved(.ada)]
            }
        }, failures: [.offline, .taken, .invalidEmail, .stepUpRequired, .locked, .cancelled])
}

extension EditProfileScreen: FlowScreen {
    static var outcomes: [Outcome] { [.saved(.ada)] }
    static var leaving: Outcome { .cancelled }
    static var scenarios: [ScreenScenario<Self>] { [.editProfile] }
}

extension ScreenScenario where S == DevicesScreen {
    static let devices = ScreenScenario(
        name: "Devices", screen: DevicesScreen(),
        step: { screen in
            screen.isSigningOutOthers
                ? "confirmation" : screen.devices.map { $0.count == 1 ? "this device" : "devices" } ?? "empty"
        },
        responses: { request in
            switch request {
            case .load: [.loaded(all)]
            case .signOut(let id): [.loaded(all.filter { $0.id != id })]
            case .signOutOthers: [.loaded(all.filter(\.isCurrent))]
            }
        })

    private static let all = [
        SignedInDevice(id: "tablet", lastUse: Date(timeIntervalSince1970: 86_400)),
        SignedInDevice(id: "phone", name: "Safari, iOS", isCurrent: true), SignedInDevice(id: "laptop"),
    ]
}

extension DevicesScreen: FlowScreen {
    static var leaving: Outcome { .closed }
    static var scenarios: [ScreenScenario<Self>] { [.devices] }
}

extension ScreenScenario where S == AccountSwitcherScreen {
    static let accountSwitcher = ScreenScenario(
        name: "Account switcher", screen: AccountSwitcherScreen(),
        step: {
            $0.removing != nil ? "removal" : $0.accounts.map { $0.isEmpty ? "no accounts" : "accounts" } ?? "empty"
        },
        responses: { request in
            switch request {
            case .load: [.loaded(S.samples, currentID: "1")]
            case .use(let id): S.samples.filter { $0.id == id }.map { .switched($0) }
            case .remove(let id): [.loaded(S.samples.filter { $0.id != id }, currentID: nil)]
            }
        })
}

extension AccountSwitcherScreen: FlowScreen {
    static var outcomes: [Outcome] { samples.prefix(1).map { .switched($0) } + [.add] }
    static var leaving: Outcome { .closed }
    static var scenarios: [ScreenScenario<Self>] { [.accountSwitcher] }
}

extension AccountSwitcherScreen {
    /// Two accounts, as a list stores them.
    static let samples: [AccountEntry] = {
        let json =
            #"[{"id":"1","name":"ada","issuer":"https://id.example.com"},"#
            + #"{"id":"2","name":"bob","issuer":"https://id.example.com"}]"#
        return (try? JSONDecoder().decode([AccountEntry].self, from: Data(json.utf8))) ?? []
    }()
}

/// Scopes of an app, as it declares them.
enum NoteScope: String, SelectableScope {
    case read = "notes:read"
    case write = "notes:write"
    case files = "files:read"

    static let defaults: [NoteScope] = [.read]
    static let categories = ["Notes", "Files"]

    var id: String { rawValue }
    var category: String { self == .files ? "Files" : "Notes" }
    var displayName: String { rawValue }
    var description: String { "Allows \(rawValue)" }
}

extension ScreenScenario where S == ScopeSelectionScreen<NoteScope> {
    static let scopeSelection = ScreenScenario(
        name: "Scope selection", screen: ScopeSelectionScreen(),
        step: { $0.choice.isExpanded ? "expanded" : "collapsed" }, responses: answers)

    /// The screen has no request.
    @Sendable private static func answers(_ request: Never) -> [Never] {}
}

extension ScreenScenario where S == ConsentScreen {
    static let consent = ScreenScenario(
        name: "Consent",
        screen: ConsentScreen(
            client: "Notes", items: [.init("notes:read"), .init("notes:write", isOptional: true)]),
        step: { _ in "request" }, responses: { _ in [.decided] })
}

extension ScreenScenario where S == UserScreen {
    static let user = ScreenScenario(
        name: "User", screen: UserScreen(.ada), step: { $0.pending == nil ? $0.user.status : "confirmation" },
        responses: { request in
            var user = AccountProfile.ada
            switch request {
            case .apply(.role(let role), _): user.role = role
            case .apply(.status(let status), _): user.status = status
            }
            return [.changed(user)]
        }, failures: [.offline, .forbidden, .lastAdministrator, .stepUpRequired, .locked, .cancelled])
}

extension ScreenScenario where S == UserListScreen {
    static let userList = ScreenScenario(
        name: "Users", screen: UserListScreen(), step: { $0.users == nil ? "empty" : "users" },
        responses: { request in
            switch request {
            case .load(_, nil): [.first(AccountPage(users: [.ada], next: "2", total: 2))]
            case .load:
                [.next(AccountPage(users: [.ada, AccountProfile(id: "2", email: "bob@example.com")], total: 2))]
            }
        })
}
