package transport

import "time"

// maxLate is how long a gate may open after the time that the server named.
const maxLate = 500 * time.Millisecond

// spread changes a backoff by up to a quarter. Machines that failed together, a farm of CI workers at the full hour, else come back together.
func (c *Client) spread(d time.Duration) time.Duration {
	return d + time.Duration(float64(d)/4*c.jitter())
}

// late is what is added to a time that a server named, which must not come out shorter.
func (c *Client) late() time.Duration {
	return time.Duration(float64(maxLate) * max(c.jitter(), -c.jitter(), 0))
}
