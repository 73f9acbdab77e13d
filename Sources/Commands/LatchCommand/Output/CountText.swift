// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// Returns the number with its noun: "1 file", "3 files".
    ///
    /// - Parameter plural: The plural, if it is not the singular with an "s".
    package func counted(_ noun: String, plural: String? = nil) -> String {
        "\(self) " + (self == 1 ? noun : plural ?? noun + "s")
    }
}
