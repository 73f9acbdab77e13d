// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchCore
import Observation

/// The signed-in user of an ``AuthModel``, whose profile all scenes show.
///
/// The profile is loaded at the start and again whenever it may have changed; until then, the token's claims are shown.
@MainActor @Observable
final class SignedInUser {
    /// The time after which a profile may have changed, such as the role.
    static let profileLifetime = Duration.seconds(60)

    /// The profile; nil until it is loaded.
    private(set) var profile: AccountProfile?
    /// The failure of the last load; nil if there is none.
    private(set) var failure: ScreenFailure?

    @ObservationIgnored private let client: AuthClient
    @ObservationIgnored private let clock: WallClock
    @ObservationIgnored private let claimed: AccountProfile
    @ObservationIgnored private let onChange: @MainActor (SignedInUser) -> Void
    @ObservationIgnored private var loading: Task<Void, Never>?
    @ObservationIgnored private var loads = 0
    /// The uptime of the last load.
    @ObservationIgnored private var loaded: Duration?

    init(_ client: AuthClient, clock: WallClock, onChange: @escaping @MainActor (SignedInUser) -> Void) {
        (self.client, self.clock, self.onChange) = (client, clock, onChange)
        claimed = AccountProfile(id: client.account?.id ?? "", email: client.account?.email ?? "")
    }

    deinit { loading?.cancel() }

    /// The profile, or the token's claims until it is loaded.
    var shown: AccountProfile { profile ?? claimed }

    /// The address; nil if it is not known.
    var email: String? { shown.email.isEmpty ? nil : shown.email }

    func show(in menu: inout UserMenuScreen) {
        (menu.profile, menu.loadFailure, menu.hasUserService) = (shown, failure, client.hasUserService)
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

    /// Loads the profile again if the last load has failed, such as without a connection.
    func retry() { if failure != nil { refresh() } }

    /// Replaces the profile with the one that a screen has loaded or saved.
    func take(_ profile: AccountProfile) {
        (self.profile, failure, loaded) = (profile, nil, clock.uptime)
        onChange(self)
    }

    private func finishLoad(_ number: Int, _ result: Result<AccountProfile, any Error>) {
        if number == loads { loading = nil }
        switch result {
        case .success(let profile): take(profile)
        case .failure(let error):
            failure = ScreenFailure(error, at: clock.now)
            onChange(self)
        }
    }
}
