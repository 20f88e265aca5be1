package storetest

import (
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func nameUnique(s *suite) {
	w := s.workflow("release", piton.TypeCustom, "prj_1")
	other := s.workflow("release", piton.TypeCustom, "prj_2")
	s.workflow("Release", piton.TypeCustom, "prj_1")
	s.workflow("", piton.TypeCustom, "prj_1")
	s.workflow("", piton.TypeCustom, "prj_1")
	taken := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Name: "release", Type: piton.TypePlan, Project: "prj_1"}
	err := s.st.Save(s.ctx, func(tx store.Tx) error {
		if err := tx.PutWorkflow(s.ctx, redact.Value(taken)); err != nil {
			return err
		}
		_, err := tx.Append(s.ctx, redact.Value(s.prepare(taken, `{}`)))
		return err
	})
	s.wantCode(err, piton.Conflict)
	_, err = s.st.Workflow(s.ctx, taken.ID, "")
	s.wantCode(err, piton.NotFound)
	equal(s, "checkpoints", len(s.list(piton.Query{})), 0)
	for project, want := range map[string]string{"prj_1": w.ID, "prj_2": other.ID} {
		got, err := s.st.Workflow(s.ctx, "release", project)
		if err != nil {
			s.Fatal(err)
		}
		equal(s, "the one of "+project, got.ID, want)
	}
}

func workflowPutAgain(s *suite) {
	w := s.workflow("w", piton.TypeConductor, "p")
	s.chain(w, "a", "b")
	w.Closed, w.SessionID = true, "ses_0000000000000001"
	s.save(func(tx store.Tx) error { return tx.PutWorkflow(s.ctx, redact.Value(w)) })
	got, err := s.st.Workflow(s.ctx, w.ID, "")
	if err != nil {
		s.Fatal(err)
	}
	w.Seq, w.HeadID = 2, got.HeadID
	equal(s, "workflow", got, w)
	equal(s, "head", s.head(w, ""), "b")
	equal(s, "open heads", len(s.list(piton.Query{Open: true})), 0)
}

func workflowFound(s *suite) {
	w := piton.Workflow{ID: "wf_abcdefgh00000001", Name: "nightly build", Type: piton.TypePlan, Project: "p", SessionID: "ses_0000000000000001", CreatedAt: piton.At(start)}
	v := piton.Workflow{ID: "wf_abcdefgz00000002", Name: "wf-other", Type: piton.TypePlan, Project: "p", CreatedAt: piton.At(start)}
	s.save(func(tx store.Tx) error {
		if err := tx.PutWorkflow(s.ctx, redact.Value(w)); err != nil {
			return err
		}
		return tx.PutWorkflow(s.ctx, redact.Value(v))
	})
	for _, c := range []struct{ name, ref, project string }{
		{"id", w.ID, ""}, {"id from another project", w.ID, "q"}, {"beginning", "wf_abcdefgh", ""}, {"name", "nightly build", "p"},
	} {
		got, err := s.st.Workflow(s.ctx, c.ref, c.project)
		if err != nil {
			s.Fatalf("by %s: got %v, want no error", c.name, err)
		}
		equal(s, "by "+c.name, got, w)
	}
	for _, c := range []struct {
		name, ref, project string
		want               piton.Code
	}{
		{"name in another project", "nightly build", "q", piton.NotFound}, {"name in no project", "nightly build", "", piton.NotFound},
		{"name in other letters", "Nightly Build", "p", piton.NotFound}, {"beginning of a name", "nightly", "p", piton.NotFound},
		{"nothing", "", "p", piton.NotFound}, {"unknown id", "wf_zzzz", "", piton.NotFound}, {"ambiguous beginning", "wf_abc", "", piton.Invalid},
	} {
		if _, err := s.st.Workflow(s.ctx, c.ref, c.project); piton.CodeOf(err) != c.want {
			s.Errorf("by %s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// withIDs appends checkpoints of these ids.
func (s *suite) withIDs(ids ...string) {
	s.Helper()
	w := s.plain()
	for _, id := range ids {
		s.append(w, `{}`, func(p *store.Prepared) { p.Record.ID = id })
	}
}

func checkpointFound(s *suite) {
	s.withIDs("chk_abcd000000000001", "chk_abce000000000001", "chk_z000000000000000")
	for ref, want := range map[string]string{
		"chk_abcd000000000001": "chk_abcd000000000001", "chk_abcd": "chk_abcd000000000001", "chk_z": "chk_z000000000000000",
	} {
		equal(s, ref, s.get(ref).ID, want)
	}
	_, err := s.st.Checkpoint(s.ctx, "chk_y")
	s.wantCode(err, piton.NotFound)
	for _, ref := range []string{"", "chk_", "chk_%", "chk_abcd0000000000011", "chk_ABCD", "abcd", "wf_abcd", "chk_abcd%", "chk_abc_", "chk_a'b"} {
		_, err := s.st.Checkpoint(s.ctx, ref)
		if code := piton.CodeOf(err); code != piton.Invalid && code != piton.NotFound {
			s.Errorf("%q: got %v, want invalid or not_found", ref, err)
		}
	}
}

func ambiguousPrefix(s *suite) {
	ids := []string{"chk_abcd000000000001", "chk_abcd000000000002", "chk_abce000000000003"}
	s.withIDs(ids...)
	_, err := s.st.Checkpoint(s.ctx, "chk_abc")
	s.wantCode(err, piton.Invalid)
	for _, id := range ids {
		if !strings.Contains(err.Error(), id) {
			s.Errorf("candidates: got %q, want %s among them", err, id)
		}
	}
	_, err = s.st.Checkpoint(s.ctx, "chk_abcd")
	s.wantCode(err, piton.Invalid)
	if strings.Contains(err.Error(), ids[2]) {
		s.Errorf("candidates: got %q, want no %s among them", err, ids[2])
	}
	equal(s, "a whole id", s.get(ids[1]).ID, ids[1])
	s.save(func(tx store.Tx) error {
		_, err := tx.Checkpoint(s.ctx, "chk_abcd")
		s.wantCode(err, piton.Invalid)
		return nil
	})
}
