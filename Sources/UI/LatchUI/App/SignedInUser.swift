// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchCore
import Observation

/// The signed-in user of an ``AuthModel``: the profile, its menu, and the step-up.
///
/// The profile is loaded at the start and again whenever it may have changed; it is from the token until it is loaded.
@MainActor @Observable
final class SignedInUser {
    /// The time after which a profile may be another one, such as by a change of the role.
    static let profileLifetime = Duration.seconds(60)

    let menu: UserMenuModel
    /// The screen of a step-up; a new one, with empty fields, after each.
    private(set) var stepUp: StepUpModel
    /// The profile; nil until it is loaded.
    private(set) var profile: AccountProfile?
    /// The failure of the last load; nil if there is none.
    private(set) var failure: ScreenFailure?

    @ObservationIgnored private let client: AuthClient
    @ObservationIgnored private let clock: WallClock
    @ObservationIgnored private let makeStepUp: @MainActor () -> StepUpModel
    @ObservationIgnored private let finishStepUp: @MainActor (StepUpScreen.Outcome) -> Void
    @ObservationIgnored private var loading: Task<Void, Never>?
    @ObservationIgnored private var loads = 0
    /// The uptime of the last load.
    @ObservationIgnored private var loaded: Duration?

    init(
        _ client: AuthClient, hasAccounts: Bool, clock: WallClock, makeStepUp: @escaping @MainActor () -> StepUpModel,
        onMenu: @escaping @MainActor (UserMenuScreen.Outcome) -> Void,
        onStepUp: @escaping @MainActor (StepUpScreen.Outcome) -> Void
    ) {
        (self.client, self.clock, self.makeStepUp, finishStepUp) = (client, clock, makeStepUp, onStepUp)
        let claimed = AccountProfile(id: client.account?.id ?? "", email: client.account?.email ?? "")
        menu = UserMenuModel(client, profile: claimed, hasAccounts: hasAccounts, clock: clock, onFinish: onMenu)
        stepUp = makeStepUp()
        menu.update { $0.hasUserService = client.hasUserService }
        watchStepUp()
    }

    deinit { loading?.cancel() }

    private func watchStepUp() {
        stepUp.onFinish = { [weak self] outcome in
            guard let self else { return }
            finishStepUp(outcome)
            // The next one begins with empty fields.
            stepUp = makeStepUp()
            watchStepUp()
        }
    }

    /// Whether the profile is being loaded.
    var isLoading: Bool { loading != nil }

    /// Waits until the profile is loaded.
    func settled() async {
        while let loading { await loading.value }
    }

    /// Loads the profile.
    func load() {
        loads += 1
        let (number, before) = (loads, loading)
        loading = Task { [weak self, client] in
            await before?.value
            let result: Result<AccountProfile, any Error>
            do { result = .success(try await client.accountProfile()) } catch { result = .failure(error) }
            self?.finishLoad(number, result)
        }
    }

    /// Loads the profile again if it is missing or old.
    func refresh() {
        guard loading == nil else { return }
        if let loaded, failure == nil, clock.uptime - loaded < Self.profileLifetime { return }
        load()
    }

    /// Loads the profile again if the last load has failed, such as for want of a connection.
    func retry() { if failure != nil { refresh() } }

    /// Takes the profile as a screen has loaded or saved it.
    func take(_ profile: AccountProfile) {
        (self.profile, failure, loaded) = (profile, nil, clock.uptime)
        menu.update { [client] in
            ($0.profile, $0.loadFailure, $0.hasUserService) = (profile, nil, client.hasUserService)
        }
    }

    private func finishLoad(_ number: Int, _ result: Result<AccountProfile, any Error>) {
        if number == loads { loading = nil }
        switch result {
        case .success(let profile): take(profile)
        case .failure(let error):
            let failure = ScreenFailure(error, at: clock.now)
            self.failure = failure
            menu.update { $0.loadFailure = failure }
        }
    }
}
