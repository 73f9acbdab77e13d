// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in seconds, as `Date` and most of Foundation count; beyond 104 days nanoseconds are rounded.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
