// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchFoundation
import Observation

/// The open screens of an ``AuthFlow`` with their models.
@MainActor @Observable
final class AuthNavigator {
    /// The screens, the last one visible.
    private(set) var screens: [AuthScreen] = []

    @ObservationIgnored private(set) var flow: AuthFlow
    /// The screens by the identifiers of the flow.
    @ObservationIgnored private var models: [Int: AuthScreen] = [:]
    /// Whether stored screens were shown again.
    @ObservationIgnored private var hasReopened = false
    /// Returns the factory of the current user's screens.
    @ObservationIgnored var factory: @MainActor () -> AuthScreenFactory? = { nil }
    /// Performs the effects of an outcome.
    @ObservationIgnored var perform: @MainActor ([AuthFlow.Effect]) -> Void = { _ in }
    /// Sends an event to the app.
    @ObservationIgnored var tell: @MainActor (AuthEvent) -> Void = { _ in }

    init(_ flow: AuthFlow) { self.flow = flow }

    /// The routes of the screens.
    var path: [AuthRoute] { screens.compactMap(\.route) }

    /// Changes the open screens and their models.
    func change(_ body: (inout AuthFlow) -> Void) {
        guard let factory = factory() else { return }
        let visible = flow.screens.last?.id
        flow.email = factory.user?.email ?? address ?? factory.client.account?.email ?? ""
        flow.hasProfile = factory.user?.profile != nil
        flow.hasUserService = factory.client.hasUserService
        body(&flow)
        var models: [Int: AuthScreen] = [:]
        for open in flow.screens {
            models[open.id] = self.models[open.id] ?? make(open, by: factory)
        }
        self.models = models
        screens = flow.screens.compactMap { models[$0.id] }
        if flow.screens.last?.id != visible { screens.last?.model.send(.appear) }
    }

    private func make(_ open: AuthFlow.OpenScreen, by factory: AuthScreenFactory) -> AuthScreen? {
        let screen = factory.make(open) { [weak self] move in self?.follow(move, of: open) }
        screen?.model.onFailure = { [weak self] in self?.tell(.failed(open.route, $0)) }
        return screen
    }

    private func follow(_ move: AuthFlow.Move, of screen: AuthFlow.OpenScreen) {
        var effects: [AuthFlow.Effect] = []
        change { effects = $0.follow(move, of: screen.id, isForNewAccount: screen.isForNewAccount) }
        perform(effects)
        if let event = move.event { tell(event) }
    }

    /// The address as typed into the visible sign-in; nil for any other screen.
    private var address: String? { path.last.flatMap { $0.kind == .signIn ? $0.email : nil } }

    /// Shows the screen of a link, and sends the link to it.
    func open(_ link: ScreenLink) {
        change { flow in
            switch link.purpose {
            case .verifyEmail: flow.reveal(.verification(EmailVerificationScreen(email: flow.email)))
            case .resetPassword: flow.reveal(.passwordReset(PasswordResetScreen(email: flow.email)))
            }
        }
        screens.last?.model.send(.open(link))
    }

    /// Gives the screen of an opened link the stored address that was waiting for the email.
    private func remember(_ email: String?) {
        guard let email else { return }
        for model in screens.map(\.model) {
            (model as? EmailVerificationModel)?.update { $0.remember(email) }
            (model as? PasswordResetModel)?.update { $0.remember(email) }
        }
    }

    /// Shows stored screens once, unless the user has opened others, and returns the data to store.
    func exchange(_ stored: Data) -> Data {
        if !hasReopened {
            hasReopened = true
            if let path = try? JSONDecoder().decode([AuthRoute].self, from: stored) {
                if flow.isAtStart {
                    change { $0.reopen(path) }
                } else {
                    remember(path.lazy.compactMap(\.mailScreen?.email).first { !$0.isEmpty })
                }
            }
        }
        let encoder = JSONEncoder()
        // Equal paths must give equal data: otherwise a scene that stores it would update forever.
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(path)) ?? Data()
    }
}
