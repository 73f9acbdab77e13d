// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// What can change while the server runs: lifetimes, limits, and what a login needs.
    private static let reloadable: Set<String> = [
        "access_token_lifetime", "refresh_token_lifetime", "replay_window", "keyed_replay_window",
        "verification_lifetime", "reset_lifetime", "require_verified_email", "argon2_memory_kib", "argon2_passes",
        "password_queue_limit", "login_limit_per_minute", "allowed_origins",
        "scopes", "default_scopes", "apps", "app_secrets", "first_party_grants", "first_party_scopes",
        "token_limit_per_minute", "renewal_limit_per_minute", "sample_resource", "user_service",
        "first_administrator",
    ]

    /// These settings, with those that cannot change taken from the ones that the server started with.
    ///
    /// Both must come from `Setting.all`, in its order, as every `Settings` that was read does.
    func keeping(_ first: Settings) -> Settings {
        Settings(
            all: zip(all, first.all).map { now, before in
                Self.reloadable.contains(now.setting.key) ? now : before
            })
    }

    /// The keys that changed and have to wait for the next start.
    ///
    /// Compared by text and not by source: the same value from another place changes nothing.
    func waitingForStart(since first: Settings) -> [String] {
        zip(all, first.all)
            .filter { now, before in now.text != before.text && !Self.reloadable.contains(now.setting.key) }
            .map(\.0.setting.key)
    }
}
