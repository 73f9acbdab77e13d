// SPDX-License-Identifier: Apache-2.0

import LatchIdentity

/// Something that can be configured: under its key in a file, `LATCH_…` in the environment, and with some of them a flag.
struct Setting: Sendable {
    /// The key in a file.
    let key: String
    /// What it is for, in one line.
    let summary: String
    /// Whether its value must not be shown.
    let isSecret: Bool
    /// The value where nobody gives one; empty where there is none.
    let standard: String
    /// Says what its text must be; nil for every text that fits.
    let problem: @Sendable (_ text: String) -> (any Error)?

    /// The name in the environment.
    var environmentName: String { "LATCH_" + key.uppercased() }
}

extension Setting {
    /// Every setting of the server.
    static let all: [Setting] = ServerSetting.all + IdentitySetting.all.map(Setting.init)

    /// A setting of the auth server, tried by making a configuration, and the mailer, of this value alone.
    private init(_ setting: IdentitySetting) {
        self.init(
            key: setting.key, summary: setting.summary, isSecret: setting.isSecret,
            standard: setting.shown(in: IdentityConfiguration()),
            problem: { text in
                do throws(IdentityError) {
                    _ = try IdentityConfiguration(values: [setting.key: text]).mailer()
                    return nil
                } catch {
                    return error
                }
            })
    }
}
