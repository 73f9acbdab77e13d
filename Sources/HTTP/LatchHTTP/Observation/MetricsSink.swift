// SPDX-License-Identifier: Apache-2.0

/// Takes what a `MetricsInterceptor` counts.
public protocol MetricsSink: Sendable {
    /// A request begins; it must not block.
    func began()

    /// A request that began has ended; it must not block.
    func ended(_ sample: RequestSample)
}
