// SPDX-License-Identifier: Apache-2.0

@testable import LatchCommand
@testable import LatchIdentity
@testable import latch

extension Settings {
    /// Returns the text of a setting; empty if it has none.
    func text(of key: String) -> String { all.first { $0.setting.key == key }?.text ?? "" }
}

extension Setting {
    /// Returns what is wrong in a text; nil if the setting takes it.
    func problem(in text: String) -> CommandError? {
        var configuration = ServeConfiguration()
        do throws(SettingProblem) { try apply(text, &configuration) } catch { return self.error(error) }
        return nil
    }
}
