// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchIdentityStorage
package import LatchServer

extension Identity {
    /// Adds the connections and the certificate of a server to the metrics.
    package func measure(_ server: Server) {
        services.metrics.include { [weak server] in
            guard let server else { return [] }
            let counts = server.connectionStatistics
            let end = server.certificateEnd.map { Int($0.timeIntervalSince1970) }
            return [
                MetricSample(.connections, .gauge(counts.open)),
                MetricSample(.connectionsRefused, .counter(counts.refused)),
                MetricSample(.connectionExhaustions, .counter(counts.exhaustions)),
                MetricSample(.certificateEnd, .gauge(end)),
            ]
        }
    }

    /// Counts a reload whose settings or certificate could not be used.
    package func countFailedReload() { services.metrics.count(.reloadFailures) }

    /// Starts an exporter for the server's metrics, and adds the exporter's own metrics to them.
    package func report(to exporter: TelemetryExporter) {
        services.metrics.include { exporter.samples }
        measure(for: exporter)
        exporter.run()
    }

    /// Makes an exporter send the metrics of this value, after a reload.
    package func measure(for exporter: TelemetryExporter) {
        exporter.measure { [measurements = services.measurements] in await measurements.samples() }
    }
}
